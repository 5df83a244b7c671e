package io.rocketbufs.rbmq.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.buffer.CircularBuffer;
import io.rocketbufs.rbmq.client.ReadFrames.Received;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class MalformedHeadersTest {
    private final ReadFrames frames = new ReadFrames();

    @AfterEach
    void close() {
        frames.close();
    }

    @Test
    void shouldRefuseALengthOfHeadersThatIsCutOff() {
        assertRefused("length=0, too short for the length of the headers", Frames.marked());
        assertRefused("length=1, too short for the length of the headers", Frames.marked((byte) 0));
    }

    @Test
    void shouldRefuseHeadersThatAreLongerThanTheMessage() {
        assertRefused(
                "the headers have 4 bytes, but 3 bytes remain of the message",
                Frames.marked(Frames.bytes(0, 4, 0x80, 0, 0)));
        assertRefused("the headers have 65535 bytes, but 0 bytes remain", Frames.marked(Frames.bytes(0xff, 0xff)));
    }

    @Test
    void shouldRefuseAMessageWithHeadersThatIsLongerThanTheTransfer() {
        assertRefused("a frame has length=6, but 5 bytes remain", Frames.withLength(6, Frames.bytes(0, 3, 0x80, 0, 0)));
        assertRefused("a frame has length=2147483647, but 0 bytes remain", Frames.withLength(-1));
    }

    @Test
    void shouldRefuseAPairThatIsCutOff() {
        assertRefused("header 1 is longer than the rest", Frames.marked(Frames.bytes(0, 1, 0x80, 0, 0, 9)));
        assertRefused("header 1 is longer than the rest", Frames.marked(Frames.bytes(0, 2, 0x80, 0, 0, 9)));
        assertRefused("header 1 is longer than the rest", Frames.marked(Frames.bytes(0, 3, 1, "k", 0, 0, 9)));
        assertRefused("header 2 is longer than the rest", Frames.marked(Frames.bytes(0, 5, 0x80, 0, 0, 9, "k", 0)));
        assertRefused("header 1 is longer than the rest", Frames.marked(Frames.bytes(0, 3, 127, "kk", 0, 0)));
    }

    @Test
    void shouldRefuseAValueThatContinuesInThePayload() {
        assertRefused("header 1 is longer than the rest", Frames.marked(Frames.bytes(0, 3, 0x80, 0, 1, "x")));
        assertRefused("header 1 is longer than the rest", Frames.marked(Frames.bytes(0, 4, 0x80, 0xff, 0xff, "x")));
    }

    @Test
    void shouldRefuseABlockWithoutHeaders() {
        assertRefused("there are no headers", Frames.marked(Frames.bytes(0, 0, "payload")));
    }

    @Test
    void shouldRefuseMoreThan255Headers() {
        byte[] pairs = new byte[65_535];
        for (int i = 0; i < pairs.length; i += 3) {
            pairs[i] = (byte) 0x81;
        }
        assertRefused("there are more than 255 headers", Frames.marked(Frames.bytes(0xff, 0xff, pairs)));
        byte[] most = Arrays.copyOf(pairs, 255 * 3);
        assertThat(frames.read(Frames.marked(Frames.bytes(most.length >> 8, most.length, most))))
                .isTrue();
        assertThat(frames.messages().get(0).headers()).hasSize(255);
    }

    /** Of the 65,535 pairs, the block contains only three according to its length; the rest is payload. */
    @Test
    void shouldNotCountHeadersBehindTheirBlock() {
        byte[] pairs = new byte[65_535 * 3];
        for (int i = 0; i < pairs.length; i += 3) {
            pairs[i] = (byte) 0x81;
        }
        byte[] body = new byte[2 + pairs.length];
        body[1] = 9;
        System.arraycopy(pairs, 0, body, 2, pairs.length);
        assertThat(frames.read(Frames.marked(body))).isTrue();
        assertThat(frames.messages().get(0).headers()).hasSize(3);
        assertThat(frames.payloadLength()).isEqualTo(pairs.length - 9);
    }

    @Test
    void shouldRefuseKeysThatAreNotKeys() {
        for (byte[] key : new byte[][] {{}, {'a', '\n'}, {(byte) 0xff}, {(byte) 0xc3}, {(byte) 0xc2, (byte) 0x85}}) {
            byte[] pair = Frames.bytes(key.length, key, 0, 1, "v");
            byte[] block = Frames.bytes(0, pair.length + 3, 0x80, 0, 0, pair);
            assertRefused("the key of header 2 is empty, or not UTF-8", Frames.marked(block));
        }
    }

    @Test
    void shouldKeepAllHeadersWithTheSameKey() {
        assertThat(frames.read(Frames.marked(Frames.bytes(0, 10, 1, "k", 0, 1, "1", 1, "k", 0, 1, "2", "payload"))))
                .isTrue();
        assertThat(frames.messages().get(0).headers()).containsExactly("k 31", "k 32");
    }

    /**
     * Compares the reader with a simple model, using random and slightly damaged frames at every position in the
     * memory.
     */
    @Test
    void shouldAgreeWithASimpleModelOnRandomFrames() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        byte[] good = Frames.of("next");
        Received next = new Received(List.of(), ReadFrames.hex("next".getBytes(UTF_8)));
        CircularBuffer memory = frames.memory(128);
        int wellFormedCount = 0;
        int count = 10_000;
        for (int i = 0; i < count; i++) {
            byte[] frame = random.nextBoolean() ? random(random) : damaged(random);
            Received expected = model(frame);
            byte[] transfer = Frames.bytes(frame, good);
            int offset = random.nextInt(128);
            boolean wellFormed = frames.read(memory, offset, transfer);
            wellFormedCount += wellFormed ? 1 : 0;
            List<Received> messages = expected == null ? List.of() : List.of(expected, next);
            boolean explained =
                    wellFormed || frames.reader().describeMalformed().startsWith("a frame has malformed headers: ");
            if (wellFormed != (expected != null) || !messages.equals(frames.messages()) || !explained) {
                throw new AssertionError("seed " + seed + ", frame " + i + ": " + ReadFrames.hex(frame) + " at offset "
                        + offset + " should have the messages " + messages + ", but the reader found "
                        + (wellFormed ? "" : frames.reader().describeMalformed() + " after ") + frames.messages());
            }
        }
        assertThat(wellFormedCount).as("seed %d", seed).isBetween(count / 20, count * 19 / 20);
    }

    /** Returns a frame with random bytes after the length, mostly small numbers. */
    private static byte[] random(Random random) {
        byte[] body = new byte[random.nextInt(40)];
        random.nextBytes(body);
        for (int i = 0; i < body.length; i++) {
            body[i] = random.nextInt(4) == 0 ? body[i] : (byte) (random.nextInt(5) == 0 ? 0x80 : body[i] & 3);
        }
        if (body.length > 2 && random.nextInt(4) != 0) {
            body[0] = 0;
            body[1] = (byte) random.nextInt(body.length);
        }
        return Frames.marked(body);
    }

    /** Returns a frame as a publisher writes it, but with up to two changed bytes after the length. */
    private static byte[] damaged(Random random) {
        Headers headers = new Headers();
        for (int i = random.nextInt(3); i >= 0; i--) {
            String key = random.nextBoolean() ? "time" : "k\u00e4y".substring(random.nextInt(3));
            headers.add(key, "x".repeat(random.nextInt(6)));
        }
        byte[] frame = Frames.of(headers, new byte[random.nextInt(10)]);
        for (int i = random.nextInt(3); i > 0; i--) {
            frame[4 + random.nextInt(frame.length - 4)] ^= (byte) (1 << random.nextInt(8));
        }
        return frame;
    }

    /** Returns the message in a frame with bit 31 set; null if it is malformed. Written from the layout's diagram. */
    private static Received model(byte[] frame) {
        ByteBuffer left = ByteBuffer.wrap(frame, 4, frame.length - 4);
        List<String> headers = new ArrayList<>();
        if (left.remaining() < 2) {
            return null;
        }
        int length = left.getShort() & 0xffff;
        if (length > left.remaining() || length == 0) {
            return null;
        }
        ByteBuffer payload = left.duplicate();
        payload.position(payload.position() + length);
        left.limit(payload.position());
        while (left.hasRemaining()) {
            int keyByte = left.get() & 0xff;
            String key = keyByte >= 0x80 ? wellKnown(keyByte) : text(left, keyByte);
            if (key == null || left.remaining() < 2) {
                return null;
            }
            byte[] value = next(left, left.getShort() & 0xffff);
            if (value == null) {
                return null;
            }
            headers.add(key + " " + ReadFrames.hex(value));
        }
        return new Received(headers, ReadFrames.hex(next(payload, payload.remaining())));
    }

    private static String wellKnown(int keyByte) {
        List<String> names = List.of(
                "reply-to", "correlation", "content-type", "expires", "time", "redelivered", "traceparent", "clear");
        return keyByte - 0x80 < names.size() ? names.get(keyByte - 0x80) : "0x" + Integer.toHexString(keyByte);
    }

    private static String text(ByteBuffer left, int length) {
        byte[] utf8 = next(left, length);
        try {
            String key = utf8 == null
                    ? ""
                    : UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString();
            return key.isEmpty() || key.chars().anyMatch(Character::isISOControl) ? null : key;
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    private static byte[] next(ByteBuffer left, int length) {
        if (length > left.remaining()) {
            return null;
        }
        byte[] next = new byte[length];
        left.get(next);
        return next;
    }

    /**
     * Checks that a frame is refused wherever it wraps, that no message is handed over, and that the reason is stated.
     */
    private void assertRefused(String why, byte[] frame) {
        CircularBuffer memory = frames.memory(frame.length);
        for (int offset = 0; offset < frame.length; offset += 1 + frame.length / 50) {
            assertThat(frames.read(memory, offset, frame))
                    .as("offset %d", offset)
                    .isFalse();
            assertThat(frames.reader().describeMalformed())
                    .as("offset %d", offset)
                    .contains(why);
            assertThat(frames.messages()).isEmpty();
        }
    }
}
