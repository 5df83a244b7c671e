package io.rocketbufs.rbmq.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.cli.Streams;
import io.rocketbufs.rbmq.RunningBroker;
import io.rocketbufs.rbmq.broker.Broker;
import io.rocketbufs.rbmq.broker.BrokerSettings;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What {@code rbmq reload} reports. */
@Tag("once")
@Timeout(180)
final class ReloadCommandTest {
    private static final String USERS =
            "rbmq.users = [{name = ops, token = ops-token, admin = true}, {name = desk, token = desk-token}]";

    private final RunningBroker running = new RunningBroker(USERS, "rbmq.admin.address = 0.0.0.0");
    private ByteArrayOutputStream out;
    private ByteArrayOutputStream err;

    @AfterEach
    void close() {
        running.close();
    }

    private int reload(Broker broker, String token) {
        out = new ByteArrayOutputStream();
        err = new ByteArrayOutputStream();
        String[] command = {
            "reload", "--admin", "127.0.0.1:" + broker.adminAddress().getPort(), "--set", "rbmq.client.token=" + token
        };
        try (PrintStream toOut = new PrintStream(out, true, UTF_8);
                PrintStream toErr = new PrintStream(err, true, UTF_8)) {
            return Main.run(command, new Streams("rbmq", InputStream.nullInputStream(), toOut, toErr));
        }
    }

    @Test
    void shouldPrintEachChange() {
        running.configure(USERS.replace("desk", "disk"), "rbmq.admin.address = 0.0.0.0", "rbmq.port = 7620");
        assertThat(reload(running.broker(), "ops-token")).isZero();
        assertThat(out.toString(UTF_8))
                .isEqualTo("rbmq.users: user \"desk\" removed\nrbmq.users: user \"disk\" added\n");
        assertThat(err.toString(UTF_8))
                .isEqualTo("rbmq: rbmq.port: 0 -> 7620 is not applied, because it needs a restart\n");
        assertThat(reload(running.broker(), "ops-token")).isZero();
        assertThat(out.toString(UTF_8)).isEmpty();
        assertThat(err.toString(UTF_8)).endsWith("\nrbmq: no setting in force has changed\n");
    }

    @Test
    void shouldExitWith3AndPrintEveryMistake() {
        running.configure("rbmq.broker.capacity = x", "rbmq.admin.address = 0.0.0.0");
        assertThat(reload(running.broker(), "ops-token")).isEqualTo(3);
        assertThat(out.toString(UTF_8)).isEmpty();
        assertThat(err.toString(UTF_8)).startsWith("rbmq: String: 5: rbmq.broker.capacity: \"x\" cannot be read");
    }

    @Test
    void shouldExitWith77WithoutTheRightToReload() {
        assertThat(reload(running.broker(), "desk-token")).isEqualTo(77);
        assertThat(err.toString(UTF_8)).contains("user \"desk\" is not an administrator");
        assertThat(reload(running.broker(), "wrong")).isEqualTo(77);
        assertThat(err.toString(UTF_8)).contains("the token is not valid");
    }

    @Test
    void shouldSayThatAProgramMustReloadTheBrokerThatItContains() {
        try (Broker embedded = Broker.open(running.another(), BrokerSettings.from(RunningBroker.config()))) {
            assertThat(reload(embedded, "")).isEqualTo(1);
            assertThat(err.toString(UTF_8)).contains("belongs to the program that contains it");
        }
    }
}
