package io.rocketbufs.rbmq.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class SubscriberNoticesTest {
    private static final int LIMIT = 10_000;

    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private final List<Integer> sent = new ArrayList<>();
    private String reason;
    private int limit = LIMIT;
    private final SubscriberNotices notices =
            new SubscriberNotices(waiting::add, this::send, why -> reason = why, () -> limit);

    private void send(ByteBuffer message) {
        sent.add(message.getInt(0));
    }

    private static ByteBuffer message(int content) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(0, content);
    }

    private static Integer[] upTo(int count) {
        return IntStream.range(0, count).boxed().toArray(Integer[]::new);
    }

    @Test
    void shouldSendANoticeAtOnceWhenNoListWaits() {
        notices.send(message(1));
        assertThat(sent).containsExactly(1);
        assertThat(waiting).isEmpty();
    }

    @Test
    void shouldApplyALimitThatAReloadHasRaised() {
        limit = 1;
        notices.sendPart(() -> message(0), 1);
        limit = 2;
        notices.send(message(1));
        assertThat(reason).isNull();
        notices.send(message(2));
        assertThat(reason).isEqualTo("2 notices wait");
    }

    @Test
    void shouldSendAListInPiecesWithoutMoreBuffersThanAllowed() {
        int parts = 3 * SubscriberNotices.PIECE;
        for (int i = 0; i < parts; i++) {
            int content = i;
            notices.sendPart(() -> message(content), 2);
        }
        assertThat(sent).isEmpty();
        int pieces = 0;
        while (!waiting.isEmpty()) {
            waiting.remove().run();
            pieces++;
            assertThat(waiting).hasSizeLessThanOrEqualTo(1);
            assertThat(sent).hasSizeLessThanOrEqualTo(pieces * SubscriberNotices.PIECE / 2);
        }
        assertThat(sent).containsExactly(upTo(parts));
    }

    @Test
    void shouldSendAChangeAfterTheListThatWaits() {
        notices.sendPart(() -> message(0), SubscriberNotices.PIECE);
        notices.sendPart(() -> message(1), 1);
        notices.send(message(2));
        waiting.remove().run();
        assertThat(sent).containsExactly(0);
        notices.send(message(3));
        waiting.remove().run();
        assertThat(sent).containsExactly(0, 1, 2, 3);
        assertThat(waiting).isEmpty();
        notices.send(message(4));
        assertThat(sent).containsExactly(upTo(5));
    }

    @Test
    void shouldKeepTheOrderOfAChangeThatArrivesWhileAPieceIsSent() {
        notices.sendPart(
                () -> {
                    notices.send(message(1));
                    return message(0);
                },
                1);
        while (!waiting.isEmpty()) {
            waiting.remove().run();
        }
        assertThat(sent).containsExactly(0, 1);
    }

    @Test
    void shouldGiveUpWhenMoreNoticesWaitThanAllowed() {
        notices.sendPart(() -> message(0), 1);
        for (int i = 1; i < LIMIT; i++) {
            notices.send(message(i));
        }
        assertThat(reason).isNull();
        notices.send(message(LIMIT));
        assertThat(reason).isEqualTo("10000 notices wait");
        waiting.remove().run();
        assertThat(sent).isEmpty();
    }
}
