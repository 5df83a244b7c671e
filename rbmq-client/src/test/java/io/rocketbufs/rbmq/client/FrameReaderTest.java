package io.rocketbufs.rbmq.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.rocketbufs.Segment;
import io.rocketbufs.Segments;
import io.rocketbufs.buffer.CircularBuffer;
import io.rocketbufs.rbmq.client.FrameReader.Ending;
import io.rocketbufs.rbmq.client.ReadFrames.Received;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests of messages with and without headers, read for several recipients that pause. The transfers wrap at every
 * position.
 */
@Tag("once")
final class FrameReaderTest {
    private static final int CAPACITY = 64;

    private final ReadFrames frames = new ReadFrames();
    private final FrameReader reader = frames.reader();
    private final CircularBuffer memory = frames.memory(CAPACITY);
    private final Headers headers = new Headers().set("k", "v");
    private final List<byte[]> each = List.of(
            Frames.of("a"),
            Frames.of(headers, "bb".getBytes(UTF_8)),
            Frames.of(headers, new byte[0]),
            Frames.of(""),
            Frames.of(headers, "ccc".getBytes(UTF_8)));
    private final byte[] transfer = Frames.bytes(each.toArray());
    private final List<Received> expected = List.of(plain("a"), marked("bb"), marked(""), plain(""), marked("ccc"));

    @AfterEach
    void close() {
        frames.close();
    }

    @Test
    void shouldHandMessagesWithHeadersToEveryRecipient() {
        for (int offset = 0; offset < CAPACITY; offset++) {
            List<Received> first = new ArrayList<>();
            List<Received> last = new ArrayList<>();
            Subscription failing = ReadFrames.subscription(message -> {
                message.headers().forEach(header -> fail());
                fail();
            });
            frames.handTo(recorder(first), failing, recorder(last));
            assertThat(read(offset, transfer.length)).isEqualTo(Ending.COMPLETE);
            assertThat(first).as("offset %d", offset).isEqualTo(expected);
            assertThat(last).as("offset %d", offset).isEqualTo(expected);
            assertThat(failing.receivedCount()).isEqualTo(expected.size());
            assertThat(failing.receivedLength()).isEqualTo(6);
            assertThat(frames.failures()).hasSize((offset + 1) * expected.size());
        }
        assertThat(frames.failures()).allMatch(failure -> failure instanceof IllegalStateException);
    }

    @Test
    void shouldHandEachRecipientVecsInTheNetworksByteOrder() {
        List<Integer> first = new ArrayList<>();
        List<Integer> second = new ArrayList<>();
        Subscription reversing = ReadFrames.subscription(message -> {
            ByteBuffer vec = message.vec(0).order(ByteOrder.LITTLE_ENDIAN);
            first.add(vec.getInt());
        });
        Subscription plain =
                ReadFrames.subscription(message -> second.add(message.vec(0).getInt()));
        frames.handTo(reversing, plain);
        byte[] numbers = Frames.of("\1\2\3\4");
        for (int i = 0; i < 2; i++) {
            reader.read(ReadFrames.arrived(memory, 0, numbers), numbers.length);
        }
        assertThat(first).containsExactly(0x04030201, 0x04030201);
        assertThat(second).containsExactly(0x01020304, 0x01020304);
        assertThat(frames.failures()).isEmpty();
    }

    private static void fail() {
        throw new IllegalStateException("a mistake");
    }

    @Test
    void shouldStopAfterTheMessageAtWhichARecipientPausesAndContinueWithTheNext() {
        for (int offset = 0; offset < CAPACITY; offset++) {
            for (int count = 1; count < expected.size(); count++) {
                stopAndContinue(offset, count, false);
                stopAndContinue(offset, count, true);
            }
        }
        assertThat(frames.failures()).isEmpty();
    }

    private void stopAndContinue(int offset, int count, boolean isShared) {
        List<Received> received = new ArrayList<>();
        List<Received> others = new ArrayList<>();
        Subscription[] pausing = new Subscription[1];
        pausing[0] = ReadFrames.subscription(message -> {
            received.add(Received.of(message));
            if (received.size() == count) {
                pausing[0].pause();
            }
        });
        if (isShared) {
            frames.handTo(pausing[0], recorder(others));
        } else {
            frames.handTo(pausing[0]);
        }
        assertThat(read(offset, transfer.length)).as("offset %d", offset).isEqualTo(Ending.STOPPED);
        assertThat(reader.index()).as("offset %d", offset).isEqualTo(end(count));
        assertThat(received).as("offset %d", offset).isEqualTo(expected.subList(0, count));
        assertThat(others).isEqualTo(isShared ? received : List.of());
        assertThat(pausing[0].receivedCount()).isEqualTo(count);
        assertThat(reader.takes()).isFalse();
        pausing[0].resume();
        Segment rest = Segments.received(memory, offset + end(count), transfer.length - end(count));
        assertThat(reader.read(rest, rest.length())).as("offset %d", offset).isEqualTo(Ending.COMPLETE);
        assertThat(received).as("offset %d", offset).isEqualTo(expected);
        assertThat(others).isEqualTo(isShared ? expected : List.of());
    }

    @Test
    void shouldStopBeforeTheMessageThatItsOnlyRecipientGivesBack() {
        for (int offset = 0; offset < CAPACITY; offset++) {
            for (int count = 0; count < expected.size(); count++) {
                List<Received> received = new ArrayList<>();
                int last = count;
                Subscription only = ReadFrames.subscription(message -> {
                    if (received.size() == last) {
                        message.giveBack();
                    } else {
                        received.add(Received.of(message));
                    }
                });
                frames.handTo(only);
                assertThat(read(offset, transfer.length)).isEqualTo(Ending.STOPPED);
                assertThat(reader.index()).isEqualTo(end(count));
                assertThat(received).isEqualTo(expected.subList(0, count));
                assertThat(only.isLeft()).isTrue();
                assertThat(reader.takes()).isFalse();
                assertThat(only.receivedCount()).isEqualTo(count);
            }
        }
    }

    @Test
    void shouldHandAMessageToTheOtherRecipientsAlthoughOneGivesItBack() {
        List<Received> received = new ArrayList<>();
        Subscription leaving = ReadFrames.subscription(Message::giveBack);
        frames.handTo(leaving, recorder(received));
        assertThat(read(0, transfer.length)).isEqualTo(Ending.COMPLETE);
        assertThat(leaving.isLeft()).isTrue();
        assertThat(received).isEqualTo(expected);
    }

    @Test
    void shouldRefuseToGiveBackACopy() {
        Message copied = new Message(new ReceivedMessage("t", 7, new byte[1], 0));
        assertThatIllegalStateException()
                .isThrownBy(copied::giveBack)
                .withMessage("topic t: a message that was copied for an executor cannot be given back; subscribe"
                        + " without one");
    }

    @Test
    void shouldReadTheWholeMessagesOfAViewThatEndsWithinAMessage() {
        for (int offset = 0; offset < CAPACITY; offset++) {
            for (int length = 1; length <= transfer.length; length++) {
                List<Received> received = new ArrayList<>();
                frames.handTo(recorder(received));
                int count = wholeCount(length);
                assertThat(read(offset, length))
                        .as("offset %d length %d", offset, length)
                        .isEqualTo(end(count) == length ? Ending.COMPLETE : Ending.MALFORMED);
                assertThat(reader.index()).isEqualTo(end(count));
                assertThat(received).isEqualTo(expected.subList(0, count));
            }
        }
    }

    private Ending read(int offset, int length) {
        return reader.read(ReadFrames.arrived(memory, offset, transfer), length);
    }

    /** Returns the length of the first {@code count} messages. */
    private int end(int count) {
        return each.subList(0, count).stream().mapToInt(frame -> frame.length).sum();
    }

    private int wholeCount(int length) {
        int count = 0;
        while (count < each.size() && end(count + 1) <= length) {
            count++;
        }
        return count;
    }

    private static Subscription recorder(List<Received> received) {
        return ReadFrames.subscription(message -> received.add(Received.of(message)));
    }

    private static Received plain(String payload) {
        return new Received(List.of(), ReadFrames.hex(payload.getBytes(UTF_8)));
    }

    private static Received marked(String payload) {
        return new Received(
                List.of("k " + ReadFrames.hex(new byte[] {'v'})), plain(payload).payload());
    }
}
