package io.rocketbufs.benchmarks.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.loopback.LoopbackNetwork;
import io.rocketbufs.rocketnet.loopback.LoopbackOptions;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Both natures of a transport within one process; the server checks number, length and bytes of what arrives. */
@Timeout(30)
class BenchClientTest {
    private static final long RUN_NS = 100_000_000L;
    private static final int LONGEST_WRITE = 4096;

    @ParameterizedTest
    @CsvSource({"rate, 8", "rate, 1000", "rate, 10000", "latency, 8", "latency, 10000"})
    void shouldMeasureOverATransportWhoseReceiverPlaces(String mode, int size) throws Exception {
        BenchResult result = measure(LoopbackOptions.socket().longestWrite(LONGEST_WRITE), run(mode, size, 64 * 1024));
        assertThat(result.number("messages")).isPositive();
    }

    @ParameterizedTest
    @CsvSource({"rate, 8", "rate, 1000", "rate, 10000", "latency, 8", "latency, 10000"})
    void shouldMeasureOverATransportThatAddressesRemoteMemory(String mode, int size) throws Exception {
        BenchResult result =
                measure(LoopbackOptions.oneSided().longestWrite(LONGEST_WRITE), run(mode, size, 64 * 1024));
        assertThat(result.number("messages")).isPositive();
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 300, 1000})
    void shouldNotOverrunABufferOfFewMessages(int capacity) throws Exception {
        BenchResult result = measure(LoopbackOptions.oneSided(), run("rate", 100, capacity));
        assertThat(result.number("messages")).isPositive();
        assertThat(result.number("starvations")).isPositive();
    }

    @ParameterizedTest
    @CsvSource({"8, 65536", "100, 300", "1000, 65536"})
    void shouldTakeCreditFromAWord(int size, int capacity) throws Exception {
        BenchRun run = run("rate", size, capacity);
        BenchResult result = measure(
                LoopbackOptions.oneSided(),
                new BenchRun(run.mode(), CreditKind.WORD, size, run.slots(), run.warmupNs(), run.durationNs()));
        assertThat(result.number("messages")).isPositive();
    }

    @Test
    void shouldTellWhatWasMeasured() throws Exception {
        BenchResult result = measure(LoopbackOptions.oneSided(), run("rate", 1000, 64 * 1024));
        assertThat(result.number("size")).isEqualTo(1000);
        assertThat(result.number("capacity")).isEqualTo(65_000);
        assertThat(result.number("bytesPerSecond") / result.number("messagesPerSecond"))
                .isBetween(999.0, 1001.0);
    }

    private static BenchRun run(String mode, int size, int capacity) {
        return BenchOptions.parse("--mode", mode, "--size", "" + size, "--capacity", "" + capacity)
                .run()
                .lasting(RUN_NS / 4, RUN_NS);
    }

    private static BenchResult measure(LoopbackOptions options, BenchRun run) throws Exception {
        try (LoopbackNetwork network = new LoopbackNetwork(options);
                MemoryPool memory = new MemoryPool(1 << 20);
                Transport sending = network.transport("sending");
                Transport receiving = network.transport("receiving");
                BenchServer server = new BenchServer(receiving, new InetSocketAddress("127.0.0.1", 0), memory)) {
            BenchResult result = new BenchClient(sending, server.address(), memory).measure(run);
            assertThat(network.takeViolations()).isEmpty();
            return result;
        }
    }
}
