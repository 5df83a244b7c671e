package io.rocketbufs.rbmq.cli;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/** Starts this program again, with other arguments. */
interface Programs {
    /** The same Java with the same flags, in processes whose standard error is ours. */
    Programs PROCESSES = arguments -> new ProcessBuilder(commandLine(arguments))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();

    /** Threads of this process. */
    Programs THREADS = ThreadProgram::start;

    /** Starts it. */
    Process start(List<String> arguments) throws IOException;

    private static List<String> commandLine(List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
        for (String flag : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            if (!isForUsAlone(flag)) {
                command.add(flag);
            }
        }
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(Main.class.getName());
        command.addAll(arguments);
        return command;
    }

    /** An archive or a recording is written by one process; a debugger is attached to one. */
    private static boolean isForUsAlone(String flag) {
        return flag.startsWith("-XX:ArchiveClassesAtExit")
                || flag.startsWith("-XX:StartFlightRecording")
                || flag.startsWith("-agentlib:")
                || flag.startsWith("-javaagent:");
    }
}
