package io.rocketbufs.cli;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/** A launcher of further instances of this program with other arguments. */
@FunctionalInterface
public interface Programs {
    /** Starts the program. The caller owns the process. */
    Process start(List<String> arguments) throws IOException;

    /**
     * Returns an object that starts separate processes. They use the same Java installation, flags and class path as
     * this process, and share its standard error.
     *
     * @param main the program's main class
     */
    static Programs processes(Class<?> main) {
        return arguments -> new ProcessBuilder(commandLine(main, arguments))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static List<String> commandLine(Class<?> main, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
        for (String flag : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            if (!isForUsAlone(flag)) {
                command.add(flag);
            }
        }
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(main.getName());
        command.addAll(arguments);
        return command;
    }

    /**
     * Returns whether a flag must not be passed on, because it writes an archive or a recording, or attaches a
     * debugger.
     */
    private static boolean isForUsAlone(String flag) {
        return flag.startsWith("-XX:ArchiveClassesAtExit")
                || flag.startsWith("-XX:StartFlightRecording")
                || flag.startsWith("-agentlib:")
                || flag.startsWith("-javaagent:");
    }
}
