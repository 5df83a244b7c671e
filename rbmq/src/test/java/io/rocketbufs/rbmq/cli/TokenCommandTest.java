package io.rocketbufs.rbmq.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.cli.Streams;
import io.rocketbufs.rbmq.RunningBroker;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("once")
@Timeout(600)
final class TokenCommandTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @Test
    void shouldPrintATokenAndALineThatMakesTheBrokerKnowIt() throws Exception {
        assertThat(run("token", "feed \"1\"")).isZero();
        String token = out.toString(UTF_8).strip();
        assertThat(out.toString(UTF_8)).matches("[0-9a-f]{64}\n");
        assertThat(err.toString(UTF_8).lines()).hasSize(1);
        assertThat(err.toString(UTF_8)).doesNotContain(token);
        String user = err.toString(UTF_8).strip().replace("publish = []", "publish = [a]");
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
        assertThat(out.toString(UTF_8).lines().distinct()).hasSize(2);
        assertThat(err.toString(UTF_8).lines().distinct()).hasSize(2);
    }

    @Test
    void shouldRefuseAnInvalidName() {
        for (String name : new String[] {"", " ", "a\nb", "a".repeat(65)}) {
            assertThat(run("token", name)).isEqualTo(2);
        }
        assertThat(run("token")).isEqualTo(2);
        assertThat(out.size()).isZero();
    }

    private int run(String... arguments) {
        try (PrintStream toOut = new PrintStream(out, true, UTF_8);
                PrintStream toErr = new PrintStream(err, true, UTF_8)) {
            return Main.run(arguments, new Streams("rbmq", InputStream.nullInputStream(), toOut, toErr));
        }
    }
}
