package io.rocketbufs.rbmq.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rbmq.LoggedLines;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class KeptMessagesTest {
    private long nowNs = -5;
    private long limit = 100;
    private final KeptMessages kept = new KeptMessages(() -> limit, () -> nowNs);
    private final List<Integer> forgotten = new ArrayList<>();

    private KeptMessage message(int id, long length) {
        return new KeptMessage("t" + id, id, 1, length, length, () -> forgotten.add(id));
    }

    private List<KeptMessage> add(KeptMessage message) {
        List<KeptMessage> excess = List.copyOf(kept.add(message));
        excess.forEach(kept::remove);
        return excess;
    }

    @Test
    void shouldRemoveTheOldestMessagesThatExceedTheLimit() {
        KeptMessage first = message(1, 30);
        KeptMessage second = message(2, 30);
        KeptMessage third = message(3, 40);
        assertThat(add(first)).isEmpty();
        assertThat(add(second)).isEmpty();
        assertThat(add(third)).isEmpty();
        assertThat(kept.memoryLength()).isEqualTo(100);
        KeptMessage fourth = message(4, 50);
        assertThat(add(fourth)).containsExactly(first, second);
        assertThat(forgotten).containsExactly(1, 2);
        assertThat(kept.count()).isEqualTo(2);
        assertThat(kept.memoryLength()).isEqualTo(90);
        kept.remove(first); // the second removal has no effect
        assertThat(forgotten).containsExactly(1, 2);
        kept.remove(third);
        assertThat(kept.memoryLength()).isEqualTo(50);
        assertThat(kept.removedCount()).isEqualTo(2);
    }

    @Test
    void shouldRemoveOnlyAMessageThatExceedsTheLimitByItself() {
        KeptMessage first = message(1, 100);
        KeptMessage huge = message(2, 101);
        assertThat(add(first)).isEmpty();
        assertThat(add(huge)).containsExactly(huge);
        assertThat(kept.count()).isEqualTo(1);
        assertThat(add(message(3, 100))).containsExactly(first);
    }

    @Test
    void shouldRemoveTheOldestMessagesWhenTheLimitHasBecomeLower() {
        KeptMessage first = message(1, 30);
        KeptMessage second = message(2, 30);
        add(first);
        add(second);
        assertThat(kept.excess()).isEmpty();
        limit = 30;
        assertThat(kept.excess()).containsExactly(first);
        limit = 0;
        KeptMessage third = message(3, 10);
        assertThat(add(third)).containsExactly(third, first, second);
        assertThat(kept.count()).isZero();
        assertThat(kept.memoryLength()).isZero();
    }

    @Test
    void shouldLogRemovedMessagesOnceAMinute() {
        try (LoggedLines logged = new LoggedLines()) {
            for (int i = 0; i < 10; i++) {
                add(message(i, 60));
            }
            assertThat(logged.with("exceed rbmq.limits.kept-bytes=100: removed 1, beginning with that of topic \"t0\""))
                    .hasSize(1);
            nowNs += TimeUnit.MINUTES.toNanos(1);
            add(message(10, 60));
            assertThat(logged.with("removed 9, beginning with that of topic \"t9\""))
                    .hasSize(1);
            assertThat(logged.with("exceed rbmq.limits.kept-bytes=100")).hasSize(2);
        }
    }
}
