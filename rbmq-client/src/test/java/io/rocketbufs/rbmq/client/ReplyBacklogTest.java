package io.rocketbufs.rbmq.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class ReplyBacklogTest {
    private final ReplyBacklog backlog = new ReplyBacklog(120);

    @Test
    void shouldLetARequesterUseAsMuchAsRemainsFree() {
        assertThat(takeAll()).isEqualTo(60);
        assertThat(takeAll()).isEqualTo(30);
        assertThat(takeAll()).isEqualTo(15);
    }

    @Test
    void shouldGiveReleasedMemoryToOthers() {
        long first = takeAll();
        backlog.release(first);
        assertThat(takeAll()).isEqualTo(60);
    }

    @Test
    void shouldRefuseAReplyThatIsTooLong() {
        assertThat(backlog.take(0, 121)).isFalse();
        assertThat(backlog.take(0, 120)).isTrue();
        assertThat(backlog.take(0, 1)).isFalse();
    }

    /** Reserves as much memory as a new requester can get, one byte at a time. */
    private long takeAll() {
        long held = 0;
        while (backlog.take(held, 1)) {
            held++;
        }
        return held;
    }
}
