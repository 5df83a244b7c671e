package io.rocketbufs.rbmq.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("once")
final class HeaderKeyTest {
    @Test
    void shouldHaveTheWellKnownKeysAndCodesThatTheDocumentLists() {
        String[] keys = {
            "reply-to", "correlation", "content-type", "expires", "time", "redelivered", "traceparent", "clear"
        };
        for (int code = 0; code < keys.length; code++) {
            assertThat(HeaderKey.code(keys[code])).isEqualTo(code);
            assertThat(HeaderKey.name(code)).isEqualTo(keys[code]);
        }
        assertThat(HeaderKey.code("other")).isNegative();
        assertThat(HeaderKey.name(8)).isEqualTo("0x88");
        assertThat(HeaderKey.name(127)).isEqualTo("0xff");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "A b", "\u00a0", "\u00e4\u20ac\ud83d\ude00", "=:\"\u00b7"})
    void shouldAcceptAnyTextWithoutControlCharacters(String key) {
        HeaderKey.check(key);
        assertThat(isValid(key.getBytes(StandardCharsets.UTF_8))).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "128, 128"})
    void shouldRefuseAnEmptyKeyAndOneThatIsTooLong(int count, int length) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HeaderKey.check("x".repeat(count)))
                .withMessage("key.length=" + length + " is not in the range 1 to 127");
        HeaderKey.check("x".repeat(127));
    }

    @Test
    void shouldRefuseAKeyThatIsTooLongInUtf8() {
        HeaderKey.check("\u00e4".repeat(63));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HeaderKey.check("\u00e4".repeat(64)))
                .withMessageContaining("key.length=128");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\nb", "\u0000", "\u007f", "\u0085", "\u009f"})
    void shouldRefuseAControlCharacter(String key) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HeaderKey.check(key))
                .withMessageContaining("contains a control character")
                .withMessageNotContainingAny(key);
        assertThat(isValid(key.getBytes(StandardCharsets.UTF_8))).isFalse();
    }

    @Test
    void shouldRefuseHalfOfASurrogatePair() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HeaderKey.check("a\ud83d"))
                .withMessageContaining("not well-formed Unicode");
    }

    /** Compares the check with the JDK's decoder, for all keys of up to two bytes and for many longer keys. */
    @Test
    void shouldAcceptTheSameBytesAsADecoderOfUtf8() {
        for (int first = 0; first < 256; first++) {
            assertSameAsDecoder((byte) first);
            for (int second = 0; second < 256; second++) {
                assertSameAsDecoder((byte) first, (byte) second);
            }
        }
        long seed = System.nanoTime();
        Random random = new Random(seed);
        Set<Boolean> seen = new HashSet<>();
        for (int i = 0; i < 20_000; i++) {
            byte[] key = new byte[3 + random.nextInt(3)];
            for (int at = 0; at < key.length; at++) {
                key[at] = (byte) (at == 0 ? 0xe0 + random.nextInt(0x16) : 0x80 + random.nextInt(0x44));
            }
            assertThat(isValid(key)).as("seed %d: %s", seed, key).isEqualTo(isDecodable(key));
            seen.add(isDecodable(key));
        }
        assertThat(seen).containsExactlyInAnyOrder(true, false);
    }

    private static void assertSameAsDecoder(byte... key) {
        if (isValid(key) != isDecodable(key)) { // without an assertion for each key, because there are 65,792 keys
            assertThat(isValid(key)).as("%s", key).isEqualTo(isDecodable(key));
        }
    }

    private static boolean isValid(byte[] key) {
        int state = HeaderKey.CHARACTER;
        for (byte each : key) {
            state = HeaderKey.next(state, each);
        }
        return state == HeaderKey.CHARACTER;
    }

    private static boolean isDecodable(byte[] key) {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(key))
                    .toString();
            return text.chars().noneMatch(Character::isISOControl);
        } catch (CharacterCodingException e) {
            return false;
        }
    }
}
