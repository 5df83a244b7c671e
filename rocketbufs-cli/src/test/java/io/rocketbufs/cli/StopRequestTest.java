package io.rocketbufs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class StopRequestTest {
    @Test
    void shouldBeMadeOnlyAtTheEndOfAnInput() throws IOException, InterruptedException {
        PipedOutputStream input = new PipedOutputStream();
        try (StopRequest stop = StopRequest.bySignal()) {
            stop.alsoAtEndOf(new PipedInputStream(input));
            input.write("anything\n".getBytes(StandardCharsets.UTF_8));
            assertThat(stop.await(Duration.ofMillis(20))).isFalse();
            assertThat(stop.isMade()).isFalse();
            input.close();
            stop.await();
            assertThat(stop.isMade()).isTrue();
            assertThat(stop.await(Duration.ZERO)).isTrue();
        }
    }
}
