package io.rocketbufs.rocketnet.rdma.ofi;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Runs a main class in a process of its own, with our class path; an interrupt kills it. */
record ChildJvm(int exitStatus, String output) {
    private static final Path JVMS = Path.of("/usr/lib/jvm");

    /** Homes of the JVMs that can run our classes: this one, and those beside it that are newer. */
    static List<Path> homes() throws IOException {
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

    static ChildJvm run(Path home, Class<?> main, Map<String, String> environment, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(home.resolve("bin/java").toString());
        if (!home.toString().matches(".*-17-.*")) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        command.addAll(List.of("-XX:-CreateCoredumpOnCrash", "-XX:ErrorFile=/dev/null"));
        command.addAll(List.of("-cp", classPath(), main.getName()));
        command.addAll(List.of(arguments));
        Path output = Files.createTempFile("child", ".out");
        try {
            ProcessBuilder builder =
                    new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
            builder.environment().keySet().removeAll(List.of("IPATH_NO_BACKTRACE", "FI_MR_CACHE_MAX_COUNT"));
            builder.environment().putAll(environment);
            Process process = builder.start();
            try {
                return new ChildJvm(process.waitFor(), Files.readString(output));
            } finally {
                process.destroyForcibly();
            }
        } finally {
            Files.delete(output);
        }
    }

    private static String classPath() {
        return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    }
}
