package io.rocketbufs.rbmq.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.cli.RecordedStreams;
import io.rocketbufs.rbmq.RunningBroker;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("once")
@Timeout(600)
final class TokenCommandTest {
    private final RecordedStreams recorded = new RecordedStreams("rbmq");

    @Test
    void shouldPrintATokenAndALineThatMakesTheBrokerKnowIt() throws Exception {
        assertThat(run("token", "feed \"1\"")).isZero();
        String token = recorded.out().strip();
        assertThat(recorded.out()).matches("[0-9a-f]{64}\n");
        assertThat(recorded.err().lines()).hasSize(1);
        assertThat(recorded.err()).doesNotContain(token);
        String user = recorded.err().strip().replace("publish = []", "publish = [a]");
        try (RunningBroker broker = new RunningBroker("rbmq.users = [", user, "]")) {
            broker.publisher(broker.client().withToken(token))
                    .topic("a")
                    .announced()
                    .get(60, TimeUnit.SECONDS);
            assertThatThrownBy(() -> broker.publisher(broker.client().withToken(token))
                            .topic("b")
                            .announced()
                            .get(60, TimeUnit.SECONDS))
                    .hasMessageContaining("user \"feed \"1\"\" may publish to a, but not to topic \"b\"");
        }
    }

    @Test
    void shouldPrintAnotherTokenEachTime() {
        run("token", "feed");
        run("token", "feed");
        assertThat(recorded.out().lines().distinct()).hasSize(2);
        assertThat(recorded.err().lines().distinct()).hasSize(2);
    }

    @Test
    void shouldRefuseAnInvalidName() {
        for (String name : new String[] {"", " ", "a\nb", "a".repeat(65)}) {
            assertThat(run("token", name)).isEqualTo(2);
        }
        assertThat(run("token")).isEqualTo(2);
        assertThat(recorded.out()).isEmpty();
    }

    private int run(String... arguments) {
        return Main.run(arguments, recorded.withoutInput());
    }
}
