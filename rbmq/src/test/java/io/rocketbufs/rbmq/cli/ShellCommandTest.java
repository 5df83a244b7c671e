package io.rocketbufs.rbmq.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class ShellCommandTest {
    @Test
    void shouldNotGiveACommandTheTokenOrTheHeadersOfAnotherRequest() {
        Map<String, String> environment = new HashMap<>(
                Map.of("PATH", "/bin", "RBMQ_TOKEN", "hunter2", "RBMQ_TOKEN_FILE", "/token", "RBMQ_HEADER_A", "old"));
        ShellCommand.setEnvironment(environment, Map.of("RBMQ_TOPIC", "t", "RBMQ_HEADER_B", "new"));
        assertThat(environment)
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of("PATH", "/bin", "RBMQ_TOKEN_FILE", "/token", "RBMQ_TOPIC", "t", "RBMQ_HEADER_B", "new"));
    }
}
