package io.rocketbufs.benchmarks.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where a C compiler and libfabric's headers are; else skipped with the reason. */
@Timeout(60)
class OfiReferenceTest {
    @TempDir
    private static Path folder;

    private static OfiReference reference;

    @BeforeAll
    static void build() throws InterruptedException {
        try {
            reference = OfiReference.build(folder);
        } catch (IOException e) {
            // Anything else than what is missing is an error of the program.
            boolean missing = e.getMessage().contains("apt-get install");
            assumeTrue(!missing, e.getMessage());
            throw new AssertionError(e.getMessage(), e);
        }
    }

    @ParameterizedTest
    @CsvSource({"tcp, word, fd", "tcp, send, spin", "sockets, word, fd", "sockets, send, fd"})
    void shouldMeasureTheRate(String provider, String credit, String wait) throws Exception {
        BenchResult result = reference.measure(options(provider, "rate", credit, wait));
        assertThat(result.number("messages")).isPositive();
        assertThat(result.number("messagesPerSecond")).isPositive();
        assertThat(result.number("bytesPerSecond") / result.number("messagesPerSecond"))
                .isBetween(511.0, 513.0);
    }

    @ParameterizedTest
    @CsvSource({"tcp", "sockets"})
    void shouldMeasureTheLatency(String provider) throws Exception {
        BenchResult result = reference.measure(options(provider, "latency", "word", "fd"));
        assertThat(result.number("messages")).isPositive();
        assertThat(result.number("p50Ns")).isPositive().isLessThanOrEqualTo(result.number("p99Ns"));
    }

    /** 512 bytes in a window of 16: too little under way for "sockets" to hang. */
    private static BenchOptions options(String provider, String mode, String credit, String wait) {
        return BenchOptions.parse(
                "--provider",
                provider,
                "--mode",
                mode,
                "--credit",
                credit,
                "--wait",
                wait,
                "--size",
                "512",
                "--window",
                "16",
                "--duration",
                "0.2",
                "--warmup",
                "0.05");
    }
}
