package io.rocketbufs.benchmarks.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rocketbufs.benchmarks.Packages;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests that run the C programs as real processes. A test that needs another broker is skipped if that broker is not
 * installed.
 */
@Tag("once")
@Timeout(600)
final class LoadedServerTest {
    private static final Span SHORT = new Span(50, 200);

    private static final int LONGEST = 100;
    /** A span that is long enough for a ping: NATS pings a client one or two seconds after it has connected. */
    private static final Span UNTIL_PINGED = new Span(50, 3000);

    @TempDir
    private static Path folder;

    private static CPrograms programs;

    /** Compiles the programs once, because compiling takes longer than most tests. */
    @BeforeAll
    static void compile() throws Exception {
        assumeTrue(Packages.missing(List.of("gcc", "libc6-dev")).isEmpty(), "no C compiler");
        programs = CPrograms.build(folder);
    }

    /**
     * Measures. Repeats the measurement with a longer duration if a busy machine may have left the processes too little
     * time.
     */
    private Measurement measure(String peer, Server server, Cell cell, Load load, Predicate<Measurement> isAsUsual)
            throws Exception {
        Measurement found = measure(peer, server, cell, load, SHORT);
        for (int factor = 4; !isAsUsual.test(found) && factor < LONGEST; factor *= 4) {
            found = measure(peer, server, cell, load, new Span(SHORT.warmupMs(), factor * SHORT.durationMs()));
        }
        return found;
    }

    private Measurement measure(String peer, Server server, Cell cell, Load load, Span span) throws Exception {
        try (LoadedServer contender = new LoadedServer(peer, server, programs, List.of(load))) {
            return contender.measure(cell, load, span);
        }
    }

    @ParameterizedTest
    @CsvSource({"16, 1, 1, 64", "512, 2, 2, 16", "65536, 1, 1, 1", "8, 1, 1, 64", "2048, 0, 1, 64"})
    void shouldRelayEveryMessageToEverySubscriber(int size, int subscribers, int publishers, int window)
            throws Exception {
        Measurement found = measure(
                "raw",
                new RawRelay(programs),
                Cell.throughput(size, subscribers),
                new Load(publishers, window),
                each -> each.perSecond() > 100 && each.publisherCores() > 0);
        assertThat(found.perSecond()).isGreaterThan(100);
        assertThat(found.faults()).isZero();
        assertThat(found.publisherCores()).isPositive();
    }

    @Test
    void shouldTimeEveryMessageAtTheRequestedRate() throws Exception {
        Measurement found = measure(
                "raw",
                new RawRelay(programs),
                new Cell(BrokerExperiment.LATENCY, 34, 1, 1, 1, 2000),
                new Load(1, 1),
                each -> each.perSecond() > 1000 && each.perSecond() < 3000);
        assertThat(found.perSecond()).isBetween(1000.0, 3000.0);
        assertThat(found.latency().us()).containsOnlyKeys(Latency.PERCENTS);
        assertThat(found.latency().at(1)).isPositive().isLessThanOrEqualTo(found.p50Us());
        assertThat(found.p50Us()).isLessThanOrEqualTo(found.p99Us());
    }

    @Test
    void shouldLoadRedis() throws Exception {
        assumeTrue(Packages.missing(List.of("redis-server", "libhiredis-dev")).isEmpty(), "no Redis");
        shouldDeliver("redis", InstalledServer.REDIS);
    }

    @Test
    void shouldLoadNats() throws Exception {
        assumeTrue(Packages.missing(List.of("nats-server")).isEmpty(), "no NATS");
        shouldDeliver("nats", InstalledServer.NATS);
    }

    @Test
    void shouldAnswerNatsBetweenWrites() throws Exception {
        assumeTrue(Packages.missing(List.of("nats-server")).isEmpty(), "no NATS");
        // With 4 MiB per write, a write is nearly always in progress when the ping arrives.
        Measurement found = measure(
                "nats",
                new InstalledServer(InstalledServer.NATS, folder.resolve("nats")),
                Cell.throughput(65536, 0),
                new Load(1, 64),
                UNTIL_PINGED);
        assertThat(found.perSecond()).isGreaterThan(100);
    }

    @Test
    void shouldLoadRabbitMq() throws Exception {
        assumeTrue(
                Packages.missing(List.of("rabbitmq-server", "librabbitmq-dev")).isEmpty(), "no RabbitMQ");
        shouldDeliver("rabbitmq", InstalledServer.RABBITMQ);
    }

    private void shouldDeliver(String peer, InstalledServer.Kind kind) throws Exception {
        InstalledServer server = new InstalledServer(kind, folder.resolve(peer));
        Measurement found =
                measure(peer, server, Cell.throughput(512, 2), new Load(2, 16), each -> each.perSecond() > 100);
        assertThat(found.perSecond()).isGreaterThan(100);
        assertThat(found.faults()).isZero();
        assertThat(found.p99Us()).isPositive();
        assertThat(server.version()).containsPattern("\\d+\\.\\d+");
    }
}
