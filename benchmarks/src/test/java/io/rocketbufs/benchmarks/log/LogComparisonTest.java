package io.rocketbufs.benchmarks.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class LogComparisonTest {
    private static final List<LogPeer> PEERS = List.of(LogPeer.RAW, LogPeer.KAFKA);

    @Test
    void shouldMeasureTheLogInCOverLibfabricWhenRdmaIsMeasured() {
        assertThat(LogComparison.withRawRdma(PEERS, List.of("tcp", "rdma")))
                .containsExactly(LogPeer.RAW, LogPeer.RAW_RDMA, LogPeer.KAFKA);
    }

    @Test
    void shouldLeaveOutTheLogInCOverLibfabricWhenRdmaIsNotMeasured() {
        assertThat(LogComparison.withRawRdma(PEERS, List.of("tcp", "shm"))).containsExactlyElementsOf(PEERS);
    }

    @Test
    void shouldMeasureTheLogInCOverLibfabricOnceWhenItIsNamedToo() {
        assertThat(LogComparison.withRawRdma(List.of(LogPeer.RAW, LogPeer.RAW_RDMA), List.of("rdma")))
                .containsExactly(LogPeer.RAW, LogPeer.RAW_RDMA);
    }
}
