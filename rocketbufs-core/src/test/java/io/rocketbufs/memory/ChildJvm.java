package io.rocketbufs.memory;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The result of running a main class in a separate process with the tests' class path. Interrupting the waiting thread
 * kills the process.
 */
public record ChildJvm(int exitStatus, String output) {
    private static final Path JVMS = Path.of("/usr/lib/jvm");
    private static final String CLASS_PATH =
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));

    /**
     * Returns the homes of the JVMs that can run the project's classes: this JVM, and newer JVMs in the same folder.
     */
    public static List<Path> homes() throws IOException {
        List<Path> homes = new ArrayList<>();
        homes.add(Path.of(System.getProperty("java.home")).toRealPath());
        if (Files.isDirectory(JVMS)) {
            try (Stream<Path> all = Files.list(JVMS)) {
                for (Path home : all.toList()) {
                    if (home.getFileName().toString().matches(".*-25-.*") && Files.exists(home.resolve("bin/java"))) {
                        homes.add(home.toRealPath());
                    }
                }
            }
        }
        return homes.stream().distinct().toList();
    }

    /** Runs a main class on this JVM with only the matching entries of the class path. */
    static ChildJvm run(Class<?> main, Predicate<String> classPathEntry, String... options)
            throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(List.of(options));
        String classPath = Arrays.stream(CLASS_PATH.split(File.pathSeparator))
                .filter(classPathEntry)
                .collect(Collectors.joining(File.pathSeparator));
        arguments.addAll(List.of("-cp", classPath, main.getName()));
        return run(command(homes().get(0), arguments));
    }

    /**
     * Runs a main class on the JVM in {@code home}, after {@code environment} has modified the child's environment
     * variables.
     */
    public static ChildJvm run(Path home, Class<?> main, Consumer<Map<String, String>> environment, String... arguments)
            throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(List.of("-cp", CLASS_PATH, main.getName()));
        all.addAll(List.of(arguments));
        ProcessBuilder command = command(home, all);
        environment.accept(command.environment());
        return run(command);
    }

    private static ProcessBuilder command(Path home, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(home.resolve("bin/java").toString());
        boolean isNewer = !home.equals(homes().get(0));
        if (isNewer || Runtime.version().feature() >= 22) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        command.addAll(List.of("-XX:-CreateCoredumpOnCrash", "-XX:ErrorFile=/dev/null"));
        command.addAll(arguments);
        return new ProcessBuilder(command);
    }

    private static ChildJvm run(ProcessBuilder command) throws IOException, InterruptedException {
        Path output = Files.createTempFile("child", ".out");
        try {
            Process process = command.redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            try {
                return new ChildJvm(process.waitFor(), Files.readString(output));
            } finally {
                process.destroyForcibly();
            }
        } finally {
            Files.delete(output);
        }
    }
}
