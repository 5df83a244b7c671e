package io.rocketbufs.rbmq.protocol;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class GreetingLayoutTest {
    @Test
    void shouldWriteTheBytesThatTheDocumentDraws() {
        assertThat(GreetingLayout.write("me", "x"))
                .containsExactly('R', 'B', 'M', 'Q', 2, 0, 0, 0, 0, 0, 0, 0, -1, 2, 'm', 'e', 1, 'x');
    }

    @Test
    void shouldNameBothVersionsWhenAnOlderClientGreets() {
        byte[] older = {'R', 'B', 'M', 'Q', 1, 2, 'm', 'e', 1, 'x'};
        assertThatThrownBy(() -> GreetingLayout.read(older))
                .hasMessage("the client uses version 1 of the RBMQ protocol, but the broker supports version 2");
    }

    @Test
    void shouldReadTheFeatureBitsOfANewerClient() {
        byte[] newer = GreetingLayout.write("me", "x");
        newer[5] = (byte) 0x80;
        newer[12] = 1;
        Greeting greeting = GreetingLayout.read(newer);
        assertThat(greeting.features()).isEqualTo(Long.MIN_VALUE | 1);
        assertThat(greeting.name()).isEqualTo("me");
        assertThat(greeting.token()).isEqualTo("x".getBytes(UTF_8));
    }
}
