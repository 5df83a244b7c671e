package io.rocketbufs.benchmarks.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rocketbufs.benchmarks.Packages;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests with real but brief measurements over libfabric's tcp provider. */
@Tag("once")
@Timeout(600)
class RdmaComparisonTest {
    private final ByteArrayOutputStream output = new ByteArrayOutputStream();
    private final ByteArrayOutputStream progress = new ByteArrayOutputStream();

    @BeforeAll
    static void needLibfabric() {
        List<String> missing = Packages.missing(List.of("gcc", "libc6-dev", "libfabric-dev"));
        assumeTrue(missing.isEmpty(), "missing: " + missing);
    }

    private int run(String... arguments) {
        return RdmaComparison.commandLine(
                        new PrintStream(output, true, StandardCharsets.UTF_8),
                        new PrintStream(progress, true, StandardCharsets.UTF_8))
                .execute(arguments);
    }

    @Test
    void shouldReportRatiosWithIntervalsAndWriteEveryPair(@TempDir Path folder) throws Exception {
        int code = run(
                "--sizes",
                "64,500000",
                "--read-sizes",
                "4096",
                "--repetitions",
                "2",
                "--duration",
                "50",
                "--warmup",
                "0",
                "--out",
                "" + folder);
        assertThat(progress.toString(StandardCharsets.UTF_8)).doesNotContain("bench:");
        assertThat(code).isZero();
        assertThat(output.toString(StandardCharsets.UTF_8))
                .containsPattern(
                        "rate, messages/s \\| 64 B \\| [\\d,]+ \\| [\\d,]+ \\| [\\d.]+ \\| [\\d.]+ to [\\d.]+ \\|")
                .containsPattern("half round trip, p50, us \\| 500,000 B \\| [\\d.]+ \\| [\\d.]+ \\|")
                .containsPattern("reads/s \\| 4,096 B \\| .*\\| at least 0.9 \\|")
                .containsPattern("fetch-add, p50, us \\| 8 B \\| .*\\| at most 1.1 \\|");
        List<String> pairs = Files.readAllLines(folder.resolve("rdma.csv"));
        assertThat(pairs).hasSize(1 + 2 * (2 * 2 + 2 + 2));
        assertThat(pairs.subList(1, pairs.size())).allSatisfy(pair -> {
            String[] fields = pair.split(",");
            assertThat(Double.parseDouble(fields[3])).as("C of %s", pair).isPositive();
            assertThat(Double.parseDouble(fields[4])).as("Java of %s", pair).isPositive();
        });
        assertThat(folder.resolve("rdma.md"))
                .content()
                .contains("- provider: tcp")
                .contains("| rate, messages/s |");
    }

    @Test
    void shouldFailWithTheReasonWhenTheProviderIsUnknown() {
        int code = run("--provider", "nonesuch", "--sizes", "64", "--repetitions", "1");
        assertThat(code).isEqualTo(1);
        assertThat(progress.toString(StandardCharsets.UTF_8)).contains("nonesuch");
    }
}
