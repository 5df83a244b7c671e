package io.rocketbufs.stress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.openjdk.jcstress.infra.Status;
import org.openjdk.jcstress.infra.collectors.DiskReadCollector;
import org.openjdk.jcstress.infra.collectors.InProcessCollector;
import org.openjdk.jcstress.infra.collectors.TestResult;
import org.openjdk.jcstress.infra.runners.TestList;

/**
 * Runs all jcstress tests together. Each jcstress test with a forbidden outcome is reported as a failed test. The
 * folder {@code target/jcstress} contains pages with the frequency of each outcome.
 */
@Tag("slow")
final class StressTest {
    private static final Path FOLDER = Path.of("target", "jcstress").toAbsolutePath();
    private static final InProcessCollector RESULTS = new InProcessCollector();

    @BeforeAll
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    static void run() throws Exception {
        int processors = Runtime.getRuntime().availableProcessors();
        assumeTrue(processors > 1, "needs at least two processors: processors=" + processors);
        deleteFolder();
        Files.createDirectories(FOLDER);
        Path output = FOLDER.resolve("output.txt");
        Process jcstress = new ProcessBuilder(command())
                .directory(FOLDER.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            // The exit status is ignored, because it only shows whether any test has failed.
            jcstress.waitFor();
        } finally {
            jcstress.destroyForcibly();
        }
        DiskReadCollector collector = new DiskReadCollector(resultFile().toString(), RESULTS);
        collector.dump();
        collector.close();
    }

    /**
     * Returns the command line. All tests are compiled by C2, because it reorders memory accesses the most. Each test
     * therefore takes minutes. The threads are not pinned to processors.
     */
    private static List<String> command() {
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        String options = "-f 2 -iters 3 -time 300 -sc false -af NONE -jvmArgs -XX:-TieredCompilation -r .";
        List<String> command = new ArrayList<>();
        command.addAll(List.of(System.getProperty("java.home") + "/bin/java", "-cp", classPath));
        command.add("org.openjdk.jcstress.Main");
        command.addAll(List.of(options.split(" ")));
        return command;
    }

    private static Path resultFile() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.filter(file -> file.toString().endsWith(".bin.gz"))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("jcstress wrote no results; see " + FOLDER + "/output.txt"));
        }
    }

    private static void deleteFolder() throws IOException {
        if (!Files.exists(FOLDER)) {
            return;
        }
        try (Stream<Path> files = Files.walk(FOLDER)) {
            files.sorted(Comparator.reverseOrder()).forEach(StressTest::delete);
        }
    }

    private static void delete(Path file) {
        try {
            Files.delete(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Collection<String> names() {
        return new TreeSet<>(TestList.tests());
    }

    @ParameterizedTest
    @MethodSource("names")
    void shouldHaveNoForbiddenOutcome(String name) {
        List<TestResult> results = RESULTS.getTestResults().stream()
                .filter(result -> result.getName().equals(name))
                .toList();
        assertThat(results).as("runs of %s", name).isNotEmpty();
        assertThat(results).as(name).allSatisfy(result -> {
            assertThat(result.status())
                    .as("%s %s", result.getConfig().jvmArgs, result.getMessages())
                    .isEqualTo(Status.NORMAL);
            assertThat(result.grading().failureMessages)
                    .as("%s %s", name, result.getConfig().jvmArgs)
                    .isEmpty();
            assertThat(result.grading().isPassed).as(name).isTrue();
        });
    }
}
