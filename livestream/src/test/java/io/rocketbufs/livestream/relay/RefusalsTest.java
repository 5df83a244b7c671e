package io.rocketbufs.livestream.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class RefusalsTest {
    private final AtomicLong nanos = new AtomicLong();
    private final Refusals refusals = new Refusals(nanos::get);

    @Test
    void shouldKeepCountAndLastReasonForTenMinutes() {
        refusals.add("cam", "first");
        refusals.add("cam", "second");
        nanos.addAndGet(1_500_000_000);
        assertThat(refusals.recent()).containsOnlyKeys("cam");
        assertThat(refusals.recent().get("cam")).isEqualTo(new StreamState.Refused(2, "second", 1500));

        nanos.addAndGet(Refusals.KEEP_NS);
        assertThat(refusals.recent()).isEmpty();
    }

    @Test
    void shouldRemoveTheStreamWithTheOldestRefusalWhenThereAreTooMany() {
        for (int i = 0; i < Refusals.MAX_NAMES; i++) {
            refusals.add("s" + i, "no");
        }
        refusals.add("s0", "no");
        refusals.add("new", "no");

        assertThat(refusals.recent())
                .hasSize(Refusals.MAX_NAMES)
                .containsKeys("s0", "new")
                .doesNotContainKey("s1");
    }
}
