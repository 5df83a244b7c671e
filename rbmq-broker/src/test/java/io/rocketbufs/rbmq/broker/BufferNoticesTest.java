package io.rocketbufs.rbmq.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rbmq.protocol.InterestLayout;
import io.rocketbufs.rbmq.protocol.RbmqMessage;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class BufferNoticesTest {
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private final List<String> sent = new ArrayList<>();
    private final BufferNotices notices = new BufferNotices(waiting::add, this::send);

    private void send(ByteBuffer message) {
        RbmqMessage.type(message);
        sent.add(InterestLayout.bufferId(message) + " " + InterestLayout.subscriberCount(message));
    }

    @Test
    void shouldSendTheFirstNumberImmediatelyAndChangesWhenNoMessageWaits() {
        notices.begin(InterestLayout.write(1, 0));
        assertThat(sent).containsExactly("1 0");
        notices.change(1, InterestLayout.write(1, 3));
        assertThat(sent).hasSize(1);
        waiting.remove().run();
        assertThat(sent).containsExactly("1 0", "1 3");
        assertThat(waiting).isEmpty();
    }

    @Test
    void shouldReplaceANumberThatHasNotBeenSent() {
        for (int i = 0; i < 100; i++) {
            notices.change(1, InterestLayout.write(1, i));
            notices.change(2, InterestLayout.write(2, i + 1));
        }
        assertThat(waiting).hasSize(1);
        waiting.remove().run();
        assertThat(sent).containsExactly("1 99", "2 100");
        notices.change(2, InterestLayout.write(2, 0));
        waiting.remove().run();
        assertThat(sent).last().isEqualTo("2 0");
    }

    @Test
    void shouldSendNothingMoreAboutABufferThatHasBeenRemoved() {
        notices.change(1, InterestLayout.write(1, 0));
        notices.change(2, InterestLayout.write(2, 0));
        notices.end(1);
        notices.begin(InterestLayout.write(1, 7)); // the publisher has reused the id for another topic
        waiting.remove().run();
        assertThat(sent).containsExactly("1 7", "2 0");
    }

    @Test
    void shouldSendManyNumbersInPieces() {
        for (int i = 0; i < 10_000; i++) {
            notices.change(i, InterestLayout.write(i, 1));
        }
        waiting.remove().run();
        assertThat(sent).hasSizeBetween(1, 5000);
        assertThat(waiting).hasSize(1);
        while (!waiting.isEmpty()) {
            waiting.remove().run();
        }
        assertThat(sent).hasSize(10_000);
        assertThat(new HashSet<>(sent)).hasSize(10_000);
    }
}
