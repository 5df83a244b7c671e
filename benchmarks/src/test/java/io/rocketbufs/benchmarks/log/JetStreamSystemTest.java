package io.rocketbufs.benchmarks.log;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class JetStreamSystemTest {
    @ParameterizedTest
    @CsvSource({
        "nats-server: v2.9.10, false",
        "nats-server: v2.10.0, true",
        "nats-server: v2.11.4-RC.1, true",
        "nats-server: v3.0.0, true",
        "nats-server: unknown, false"
    })
    void shouldFlushEachRecordSinceVersion210(String version, boolean flushes) {
        JetStreamSystem system = new JetStreamSystem(version);
        assertThat(system.takesPartIn(LogExperiment.PRODUCE_FLUSHED.cell(512, 1)))
                .isEqualTo(flushes);
        assertThat(system.takesPartIn(LogExperiment.PRODUCE_LATENCY.cell(512, 1)))
                .isTrue();
        assertThat(system.settings()).contains(flushes ? "sync_interval always" : "cannot flush each record");
    }
}
