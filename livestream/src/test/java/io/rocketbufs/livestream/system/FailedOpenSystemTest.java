package io.rocketbufs.livestream.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.livestream.Running;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** Tests of an edge that cannot start. They run alone, because other tests have threads with the same names. */
@Tag("once")
@Timeout(600)
@Isolated
final class FailedOpenSystemTest {
    @Test
    void shouldLeaveNoTimerBehindWhenThePortOfAnEdgeIsInUse() {
        try (Running running = new Running("tcp")) {
            int port = running.ingest().getPort();
            assertThatThrownBy(() -> running.edge("livestream.edge.port=" + port))
                    .hasMessageContaining(Integer.toString(port));
            assertThat(Thread.getAllStackTraces().keySet().stream().map(Thread::getName))
                    .doesNotContain("livestream-edge");
        }
    }
}
