package io.rocketbufs.rbmq.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.rocketbufs.rbmq.client.ReadFrames.Received;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("once")
final class HeadersTest {
    private final ReadFrames frames = new ReadFrames();
    private final Headers headers = new Headers();

    @AfterEach
    void close() {
        frames.close();
    }

    @Test
    void shouldWriteTheBytesThatTheDocumentDraws() {
        headers.set("time", 7).add("k\u00e4y", "v");
        assertThat(Frames.of(headers, new byte[] {1, 2}))
                .containsExactly(0x80, 0, 0, 16, 0, 12, 0x84, 0, 1, '7', 4, 'k', 0xc3, 0xa4, 'y', 0, 1, 'v', 1, 2);
    }

    @Test
    void shouldWriteNothingWhenThereAreNoHeaders() {
        assertThat(headers.isEmpty()).isTrue();
        assertThat(headers.encodedLength()).isZero();
        assertThat(Frames.of(headers, new byte[] {9})).containsExactly(0, 0, 0, 1, 9);
    }

    @Test
    void shouldReplaceAllHeadersWithAKeyOrKeepThem() {
        headers.add("a", "1")
                .add("b", "2")
                .add("a", "3")
                .add("ab", "4")
                .add("reply-to", "x")
                .add("a", "5");
        assertThat(texts()).containsExactly("a=1", "b=2", "a=3", "ab=4", "reply-to=x", "a=5");
        headers.set("a", "longer than the others");
        assertThat(texts()).containsExactly("b=2", "ab=4", "reply-to=x", "a=longer than the others");
        headers.set("reply-to", "y").set("b", new byte[0]);
        assertThat(texts()).containsExactly("ab=4", "a=longer than the others", "reply-to=y", "b=");
        assertThat(headers.size()).isEqualTo(4);
    }

    @Test
    void shouldRemoveHeaders() {
        headers.add("a", "1").add("b", "2").add("a", "3").remove("c").remove("a");
        assertThat(texts()).containsExactly("b=2");
        headers.remove("b");
        assertThat(headers.isEmpty()).isTrue();
        headers.add("c", "4").clear();
        assertThat(headers.encodedLength()).isZero();
        assertThat(headers.set("d", "5").size()).isEqualTo(1);
        assertThat(texts()).containsExactly("d=5");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, -1, 9, 10, -10, 1234567890123L, Long.MAX_VALUE, Long.MIN_VALUE, Long.MIN_VALUE + 1})
    void shouldWriteANumberAsDecimalTextAndReadIt(long number) {
        headers.set("n", number);
        assertThat(texts()).containsExactly("n=" + number);
        frames.handler(message ->
                assertThat(message.headers().getLong("n", number + 1)).isEqualTo(number));
        assertThat(frames.read(Frames.of(headers, new byte[0]))).isTrue();
    }

    @Test
    void shouldCopyAValue() {
        byte[] value = {1};
        headers.set("k", value);
        value[0] = 2;
        assertThat(received().headers()).containsExactly("k 01");
    }

    @Test
    void shouldChangeNothingWhenAHeaderIsNotAllowed() {
        headers.set("k", "v");
        assertThatIllegalArgumentException().isThrownBy(() -> headers.set("", "v"));
        assertThatIllegalArgumentException().isThrownBy(() -> headers.set("k", "\ud800"));
        assertThatIllegalArgumentException().isThrownBy(() -> headers.add("x".repeat(128), 1));
        assertThatIllegalArgumentException().isThrownBy(() -> headers.remove("a\nb"));
        assertThatNullPointerException().isThrownBy(() -> headers.set("k", (String) null));
        assertThatNullPointerException().isThrownBy(() -> headers.set("k", (byte[]) null));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> headers.set("k", new byte[65_536]))
                .withMessage("key=\"k\" value.length=65536: the headers of a message have at most 65535 bytes");
        assertThat(texts()).containsExactly("k=v");
    }

    @Test
    void shouldHaveAtMost255Headers() {
        for (int i = 0; i < 255; i++) {
            headers.add("k" + i, i);
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> headers.add("another", ""))
                .withMessageContaining("at most 255 with at most 65535 bytes in total, but these are 256 with");
        headers.set("k0", "replaced");
        assertThat(texts()).hasSize(255).first().isEqualTo("k1=1");
        assertThat(texts()).last().isEqualTo("k0=replaced");
    }

    @Test
    void shouldHaveAtMost65535Bytes() {
        headers.set("k", new byte[65_531]);
        assertThat(headers.encodedLength()).isEqualTo(65_537);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> headers.add("reply-to", ""))
                .withMessageContaining("but these are 2 with 65538 bytes");
        headers.set("k", new byte[65_530]).set("k", new byte[65_531]);
        assertThat(received().headers().get(0)).hasSize(2 + 2 * 65_531);
    }

    private List<String> texts() {
        List<String> texts = new ArrayList<>();
        frames.handler(message -> message.headers().forEach(header -> texts.add(header.key() + "=" + header.text())));
        assertThat(frames.read(Frames.of(headers, "payload".getBytes(StandardCharsets.UTF_8))))
                .isTrue();
        assertThat(texts).hasSize(headers.size());
        return texts;
    }

    private Received received() {
        assertThat(frames.read(Frames.of(headers, new byte[0]))).isTrue();
        return frames.messages().get(0);
    }
}
