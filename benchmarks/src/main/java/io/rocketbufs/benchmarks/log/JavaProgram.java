package io.rocketbufs.benchmarks.log;

import io.rocketbufs.benchmarks.log.load.LoadProgram;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command of a Java program with this program's JVM and class path. */
final class JavaProgram {
    private static final List<String> LOAD_FLAGS = List.of("-XX:+UseSerialGC", "-Xmn256m", "-Dlog.level=warn");

    private JavaProgram() {}

    /**
     * Returns the command that runs the load program.
     *
     * @param library the client library
     * @param settings further settings of the library
     */
    static List<String> load(String library, LogSystem.RunningBroker broker, String settings) {
        return load(List.of(), library, broker, settings);
    }

    /** Returns the command that runs the load program, with further flags of the JVM. */
    static List<String> load(List<String> flags, String library, LogSystem.RunningBroker broker, String settings) {
        List<String> all = new ArrayList<>(LOAD_FLAGS);
        all.addAll(flags);
        return command(all, LoadProgram.class.getName(), List.of(library, broker.address(), settings));
    }

    /** Returns the command that runs a main class. */
    static List<String> command(List<String> flags, String main, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-XX:-UsePerfData"));
        command.addAll(flags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main));
        command.addAll(arguments);
        return command;
    }
}
