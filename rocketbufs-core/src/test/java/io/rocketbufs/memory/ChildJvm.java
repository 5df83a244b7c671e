package io.rocketbufs.memory;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Runs a main class in a process of its own, with our Java and part of our class path; an interrupt kills it. */
record ChildJvm(int exitStatus, String output) {
    static ChildJvm run(Class<?> main, Predicate<String> classPathEntry, String... options)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + "/bin/java");
        if (Runtime.version().feature() >= 22) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        command.addAll(List.of(options));
        command.addAll(List.of("-XX:-CreateCoredumpOnCrash", "-XX:ErrorFile=/dev/null"));
        command.addAll(List.of("-cp", classPath(classPathEntry), main.getName()));
        Path output = Files.createTempFile("child", ".out");
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
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

    private static String classPath(Predicate<String> entry) {
        String all = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        return Arrays.stream(all.split(File.pathSeparator))
                .filter(entry)
                .collect(Collectors.joining(File.pathSeparator));
    }
}
