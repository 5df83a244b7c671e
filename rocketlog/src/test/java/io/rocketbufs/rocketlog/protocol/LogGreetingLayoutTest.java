package io.rocketbufs.rocketlog.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class LogGreetingLayoutTest {
    @Test
    void shouldContainTheNameWithoutControlCharacters() {
        byte[] greeting = LogGreetingLayout.write("feed\n2");
        assertThat(LogGreetingLayout.problem(greeting)).isNull();
        assertThat(LogGreetingLayout.name(greeting)).startsWith("feed").doesNotContain("\n");
        byte[] longest = LogGreetingLayout.write("x".repeat(256));
        assertThat(LogGreetingLayout.problem(longest)).isNull();
        assertThat(LogGreetingLayout.name(longest)).hasSize(256);
        byte[] longer = LogGreetingLayout.write("x".repeat(257));
        assertThat(LogGreetingLayout.problem(longer))
                .isEqualTo("the client's name is longer than 256 bytes; shorten it");
    }

    @Test
    void shouldNameTheDefect() {
        assertThat(LogGreetingLayout.problem(new byte[0])).contains("only clients of rocketlog");
        assertThat(LogGreetingLayout.problem("RBMQ1 name".getBytes(StandardCharsets.US_ASCII)))
                .contains("only clients of rocketlog");
        byte[] older = LogGreetingLayout.write("x"); // an older client would read each result of this version as two
        older[4] = 1;
        assertThat(LogGreetingLayout.problem(older)).contains("version 1").contains("the same release on both sides");
        byte[] newer = LogGreetingLayout.write("x");
        newer[4] = 9;
        assertThat(LogGreetingLayout.problem(newer)).contains("version 9").contains("version 5");
        assertThat(LogGreetingLayout.problem(Arrays.copyOf(LogGreetingLayout.write("x"), 300)))
                .contains("longer than 256 bytes");
    }
}
