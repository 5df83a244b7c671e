package io.rocketbufs.rbmq.protocol;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("once")
final class TopicNameTest {
    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            value = {
                "+, contains + or #",
                "#, contains + or #",
                "a/+/b, contains + or #",
                "a/b#, contains + or #",
                "$, begins with $",
                "$SYS/load, begins with $",
                "$#, begins with $"
            })
    void shouldRefuseAReservedNameWhenEncodingAndWhenDecoding(String name, String reason) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TopicName.encode(name))
                .withMessageStartingWith("topic=\"" + name + "\" " + reason);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TopicName.decode(ByteBuffer.wrap(name.getBytes(UTF_8))))
                .withMessageStartingWith("topic=\"" + name + "\" " + reason);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "a$", "price/EUR-USD", "a*b", "a.b>", "\u00e4\u20ac", " "})
    void shouldAcceptAnyOtherName(String name) {
        assertThat(TopicName.decode(ByteBuffer.wrap(TopicName.encode(name)))).isEqualTo(name);
    }
}
