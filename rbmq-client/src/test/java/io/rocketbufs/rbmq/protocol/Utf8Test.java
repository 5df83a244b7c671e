package io.rocketbufs.rbmq.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("once")
final class Utf8Test {
    @Test
    void shouldEncodeEveryCharacterLikeTheJdk() {
        for (int character = 0; character <= Character.MAX_CODE_POINT; character++) {
            if (character < Character.MIN_SURROGATE || character > Character.MAX_SURROGATE) {
                String text = Character.toString(character);
                byte[] expected = text.getBytes(StandardCharsets.UTF_8);
                byte[] bytes = new byte[4];
                boolean same = Utf8.length(text) == expected.length && Utf8.put(text, bytes, 0) == expected.length;
                for (int i = 0; i < expected.length; i++) {
                    same &= bytes[i] == expected[i];
                }
                if (!same) {
                    throw new AssertionError("U+" + Integer.toHexString(character));
                }
            }
        }
    }

    @Test
    void shouldWriteAtAnOffset() {
        byte[] bytes = new byte[12];
        assertThat(Utf8.put("a\u00e4\u20ac\ud83d\ude00", bytes, 1)).isEqualTo(11);
        assertThat(new String(bytes, 1, 10, StandardCharsets.UTF_8)).isEqualTo("a\u00e4\u20ac\ud83d\ude00");
        assertThat(bytes[11]).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"\ud800", "ab\udc00", "\udc00\ud800", "a\ud83d\ud83d\ude00"})
    void shouldRefuseHalfOfASurrogatePair(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Utf8.length(text))
                .withMessageContaining("half of a surrogate pair");
    }
}
