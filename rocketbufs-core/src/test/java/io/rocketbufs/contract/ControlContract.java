package io.rocketbufs.contract;

import static io.rocketbufs.contract.Stage.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.Connection;
import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that the application's control messages arrive in both directions, in order, and are not delayed by data. */
class ControlContract {
    private final Stage stage;
    private final List<Integer> messages = Collections.synchronizedList(new ArrayList<>());
    private Node sending;
    private Node receiving;
    private Inbox inbox;

    ControlContract(Stage stage) {
        this.stage = stage;
    }

    @BeforeEach
    void open() {
        sending = stage.node();
        receiving = stage.node();
        inbox = receiving.inbox(sending);
        inbox.in().setControlMessageCallback(message -> messages.add(message.getInt()));
    }

    /** Returns the sender's end of the connection. */
    private Connection there() {
        return sending.accepted().get(0);
    }

    private static ByteBuffer message(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).flip();
    }

    @Test
    void shouldDeliverMessagesInOrder() {
        for (int i = 0; i < 3000; i++) {
            int number = i;
            there().sendControlMessage(message(number));
            eventually(() -> messages.size() > number - 1000);
        }
        eventually(() -> messages.size() == 3000);
        assertThat(messages).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void shouldAnswerFromWithinTheCallback() {
        there().setControlMessageCallback(message -> there().sendControlMessage(message(message.getInt() + 1)));
        inbox.in().setControlMessageCallback(message -> {
            int number = message.getInt();
            messages.add(number);
            if (number < 500) {
                inbox.in().sendControlMessage(message(number + 1));
            }
        });
        inbox.in().sendControlMessage(message(0));
        eventually(() -> messages.contains(501));
        assertThat(messages).hasSize(251);
    }

    @Test
    void shouldDeliverAMessageBeforeTheDataThatIsDeliveredAfterIt() {
        sending.out().createBuffer(1, 10_000);
        AtomicInteger tooEarly = new AtomicInteger();
        Received received = inbox.of(1);
        inbox.in().setDataInCallback((bufferId, data) -> {
            tooEarly.addAndGet(messages.size() * 8 < data.position() + data.length() ? 1 : 0);
            received.onData(data);
        });
        received.subscribe(5000);
        Sent sent = new Sent(sending.out(), 1, 0);
        for (int i = 0; i < 20_000; i++) {
            there().sendControlMessage(message(i));
            sent.deliver(8);
            if (i % 500 == 0) {
                received.awaitAll(sent);
            }
        }
        received.awaitAll(sent);
        assertThat(tooEarly).hasValue(0);
    }

    @Test
    void shouldOvertakeDataThatWaitsForSpace() {
        sending.out().createBuffer(1, 1000);
        Received received = inbox.of(1).holding().subscribe(1000);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(10, 200);
        assertThat(sent.offer(10)).isFalse();
        there().sendControlMessage(message(1));
        eventually(() -> messages.contains(1));
        received.release();
        received.awaitAll(sent);
    }

    @Test
    void shouldOvertakeALongTransferThatWaitsForSpace() {
        int capacity = 1 << 20;
        sending.out().createBuffer(1, 2 * capacity);
        Received received = inbox.of(1).holding().subscribe(capacity);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(capacity / 2).deliver(capacity);
        received.awaitPosition(capacity / 2);
        there().sendControlMessage(message(1));
        eventually(() -> messages.contains(1));
        received.release();
        received.awaitAll(sent);
    }

    @Test
    void shouldCarryTheLongestMessageAndAnEmptyOne() {
        List<ByteBuffer> copies = Collections.synchronizedList(new ArrayList<>());
        inbox.in().setControlMessageCallback(message -> {
            ByteBuffer copy = ByteBuffer.allocate(message.remaining());
            copies.add(copy.put(message).flip());
        });
        ByteBuffer longest = ByteBuffer.allocate(there().longestControlMessage());
        for (int i = 0; i < longest.capacity(); i++) {
            longest.put(i, (byte) (i * 31));
        }
        there().sendControlMessage(longest.duplicate());
        there().sendControlMessage(ByteBuffer.allocate(0));
        eventually(() -> copies.size() == 2);
        assertThat(copies).containsExactly(longest, ByteBuffer.allocate(0));
    }

    @Test
    void shouldRefuseAMessageThatIsTooLong() {
        ByteBuffer tooLong = ByteBuffer.allocate(there().longestControlMessage() + 1);
        assertThatThrownBy(() -> there().sendControlMessage(tooLong))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("" + tooLong.capacity());
        there().sendControlMessage(message(1));
        eventually(() -> messages.contains(1));
    }

    @Test
    void shouldRefuseAMessageOverAClosedConnection() {
        there().close();
        Stage.get(there().closed());
        assertThatThrownBy(() -> there().sendControlMessage(message(1))).isInstanceOf(TransportException.class);
    }

    @Test
    void shouldCloseTheConnectionWhoseCallbackThrows() {
        stage.expectFailures();
        Received other = receiving.inbox(sending).of(1);
        sending.out().createBuffer(1, 1000);
        other.subscribe(1000);
        CompletableFuture<Void> closed = inbox.connection().closed();
        inbox.in().setControlMessageCallback(message -> {
            throw new IllegalArgumentException("not understood");
        });
        there().sendControlMessage(message(1));
        Stage.get(closed);
        assertThat(receiving.awaitFailures())
                .anyMatch(failure -> failure.toString().contains("not understood"));
        other.awaitAll(new Sent(sending.out(), 1, 0).deliver(100, 100));
    }
}
