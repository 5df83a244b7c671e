package io.rocketbufs.rbmq.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.buffer.CircularBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class MessageHeadersTest {
    private final ReadFrames frames = new ReadFrames();

    @AfterEach
    void close() {
        frames.close();
    }

    @Test
    void shouldFindHeadersByKey() {
        Headers headers = new Headers()
                .add("correlation", new byte[] {0, -1})
                .add("k\u00e4y", "gr\u00fcn")
                .add("k", "first")
                .add("k", "second")
                .add("redelivered", "")
                .add("expires", -5);
        frames.handler(message -> {
            MessageHeaders read = message.headers();
            assertThat(read.size()).isEqualTo(6);
            assertThat(read.isEmpty()).isFalse();
            assertThat(read.get("k\u00e4y")).isEqualTo("gr\u00fcn");
            assertThat(read.get("k")).isEqualTo("first");
            assertThat(read.get("redelivered")).isEmpty();
            assertThat(read.get("correlation")).isEqualTo("\0\ufffd");
            assertThat(read.getBytes("correlation")).containsExactly(0, -1);
            assertThat(read.getLong("expires", 1)).isEqualTo(-5);
            assertThat(read.has("redelivered")).isTrue();
            for (String absent :
                    List.of("", "ka", "k\u00e4", "k\u00e4yy", "K", "reply-to", "\ud83d", "x".repeat(300))) {
                assertThat(read.has(absent)).as(absent).isFalse();
                assertThat(read.get(absent)).isNull();
                assertThat(read.getBytes(absent)).isNull();
                assertThat(read.getLong(absent, 9)).isEqualTo(9);
                assertThat(read.find(absent)).isNull();
            }
            frames.messages().add(null);
        });
        assertThat(frames.read(Frames.of(headers, new byte[3]))).isTrue();
        assertThat(frames.messages()).hasSize(1);
    }

    @Test
    void shouldReadAValueInPlace() {
        Headers headers = new Headers().set("k", "12345");
        frames.handler(message -> {
            Header header = message.headers().find("k");
            assertThat(header.isKey("k")).isTrue();
            assertThat(header.isKey("kk")).isFalse();
            assertThat(header.length()).isEqualTo(5);
            assertThat(header.getByte(4)).isEqualTo((byte) '5');
            byte[] some = new byte[4];
            header.get(1, some, 1, 3);
            assertThat(some).containsExactly(0, '2', '3', '4');
            assertThatThrownBy(() -> header.getByte(5)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> header.getByte(-1)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> header.get(3, some, 0, 3)).isInstanceOf(IndexOutOfBoundsException.class);
            frames.messages().add(null);
        });
        assertThat(frames.read(Frames.of(headers, "payload".getBytes(UTF_8)))).isTrue();
        assertThat(frames.messages()).hasSize(1);
    }

    @Test
    void shouldAllowAVisitorToLookUpHeaders() {
        Headers headers = new Headers().add("a", 1).add("b", 2).add("c", 3);
        List<String> seen = new ArrayList<>();
        frames.handler(message -> message.headers()
                .forEach(header -> seen.add(header.key() + message.headers().get("b") + header.text())));
        assertThat(frames.read(Frames.of(headers, new byte[0]))).isTrue();
        assertThat(seen).containsExactly("a21", "b22", "c23");
    }

    @Test
    void shouldReturnTheDefaultWhenAValueIsNotANumber() {
        String[] values = {
            "",
            "-",
            "+1",
            "1.0",
            " 1",
            "1 ",
            "0x1",
            "\u0661",
            "9223372036854775808",
            "-9223372036854775809",
            "99999999999999999999",
            "000000000000000000001"
        };
        for (String value : values) {
            List<Long> read = new ArrayList<>();
            frames.handler(message -> read.add(message.headers().getLong("n", 42)));
            assertThat(frames.read(Frames.of(new Headers().set("n", value), new byte[0])))
                    .isTrue();
            assertThat(read).as(value).containsExactly(42L);
        }
    }

    /** A version that knows more keys writes unknown codes. A version that knows fewer writes a known key as text. */
    @Test
    void shouldReadKeysOfOtherVersions() {
        List<String> seen = new ArrayList<>();
        frames.handler(message -> {
            message.headers().forEach(header -> seen.add(header.key()));
            seen.add(message.headers().get("clear"));
        });
        assertThat(frames.read(Frames.marked(Frames.bytes(0, 13, 0xfe, 0, 0, 5, "clear", 0, 2, "ab"))))
                .isTrue();
        assertThat(seen).containsExactly("0xfe", "clear", "ab");
    }

    @Test
    void shouldHaveNoHeadersInAMessageThatFollowsOneWithHeaders() {
        byte[] one = Frames.of(new Headers().set("k", "v"), "x".getBytes(UTF_8));
        byte[] transfer = Frames.bytes(one, Frames.of("y"), one);
        List<String> seen = new ArrayList<>();
        frames.handler(message ->
                seen.add(message.headers().get("k") + message.headers().size()));
        CircularBuffer memory = frames.memory(transfer.length);
        for (int offset = 0; offset < transfer.length; offset++) {
            seen.clear();
            assertThat(frames.read(memory, offset, transfer)).isTrue();
            assertThat(seen).as("offset %d", offset).containsExactly("v1", "null0", "v1");
        }
    }

    @Test
    void shouldSpeakOfThePayloadOnlyWhereverTheMessageWraps() {
        Headers headers = new Headers().set("key", "value").set("time", 123);
        byte[] frame = Frames.of(headers, Frames.bytes(1, 2, 3, 4, 5, 6, 7, 8, 9));
        byte[] transfer = Frames.bytes(frame, Frames.of("next"));
        CircularBuffer memory = frames.memory(transfer.length);
        List<Integer> vecCounts = new ArrayList<>();
        for (int offset = 0; offset < transfer.length; offset++) {
            List<String> seen = new ArrayList<>();
            frames.handler(message -> {
                seen.add(message.headers().get("key") + message.headers().getLong("time", 0));
                if (message.headers().isEmpty()) {
                    return;
                }
                assertThat(message.length()).isEqualTo(9);
                assertThat(message.getByte(0)).isEqualTo((byte) 1);
                assertThat(message.getInt(5)).isEqualTo(0x06070809);
                assertThat(message.getLong(0)).isEqualTo(0x0102030405060708L);
                assertThat(message.toBytes()).containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 9);
                assertThatThrownBy(() -> message.getByte(9)).isInstanceOf(IndexOutOfBoundsException.class);
                int length = 0;
                for (int i = 0; i < message.vecCount(); i++) {
                    length += message.vec(i).remaining();
                }
                assertThat(length).isEqualTo(9);
                assertThat(message.vec(0).get(message.vec(0).position())).isEqualTo((byte) 1);
                vecCounts.add(message.vecCount());
            });
            assertThat(frames.read(memory, offset, transfer)).isTrue();
            assertThat(seen).as("offset %d", offset).containsExactly("value123", "null0");
        }
        assertThat(vecCounts).filteredOn(count -> count == 2).hasSize(8);
        assertThat(frames.payloadLength()).isEqualTo(9 + 4);
    }

    @Test
    void shouldAcceptHeadersWithoutAPayload() {
        assertThat(frames.read(Frames.of(new Headers().set("clear", ""), new byte[0])))
                .isTrue();
        assertThat(frames.messages()).containsExactly(new ReadFrames.Received(List.of("clear "), ""));
    }
}
