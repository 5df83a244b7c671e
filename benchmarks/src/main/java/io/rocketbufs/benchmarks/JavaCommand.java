package io.rocketbufs.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command line of a Java program that uses this program's JVM and class path. */
public final class JavaCommand {
    private JavaCommand() {}

    /** Returns the command line that runs a main class. */
    public static List<String> of(List<String> flags, String main, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-XX:-UsePerfData"));
        command.addAll(flags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main));
        command.addAll(arguments);
        return command;
    }
}
