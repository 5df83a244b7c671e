package io.rocketbufs.rbmq.cli;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.cli.RecordedStreams;
import io.rocketbufs.contract.TlsFiles;
import io.rocketbufs.rbmq.RunningBroker;
import io.rocketbufs.rbmq.broker.Broker;
import io.rocketbufs.rbmq.broker.BrokerSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the reports of {@code rbmq reload}. */
@Tag("once")
@Timeout(600)
final class ReloadCommandTest {
    private static final String USERS =
            "rbmq.users = [{name = ops, token = ops-token, admin = true}, {name = desk, token = desk-token}]";

    private final RunningBroker running = new RunningBroker(USERS, "rbmq.admin.address = 0.0.0.0");
    private final RecordedStreams recorded = new RecordedStreams("rbmq");

    @AfterEach
    void close() {
        running.close();
    }

    private int reload(Broker broker, String token, String... more) {
        return reload("127.0.0.1:" + broker.adminAddress().getPort(), token, more);
    }

    private int reload(String address, String token, String... more) {
        recorded.clear();
        List<String> words =
                new ArrayList<>(List.of("reload", "--admin", address, "--set", "rbmq.client.token=" + token));
        words.addAll(List.of(more));
        String[] command = words.toArray(String[]::new);
        return Main.run(command, recorded.withoutInput());
    }

    @Test
    void shouldUseHttpsAndReloadItsCertificate(@TempDir Path folder) throws Exception {
        String[] settings = {
            "rbmq.admin.tls { enabled = on",
            "certificate = \"" + folder.resolve("admin.pem") + "\", key = \"" + folder.resolve("admin.key") + "\" }"
        };
        Files.copy(TlsFiles.file("server.pem"), folder.resolve("admin.pem"));
        Files.copy(TlsFiles.file("server.key"), folder.resolve("admin.key"));
        try (RunningBroker encrypted = new RunningBroker(settings)) {
            String ca = TlsFiles.file("ca.pem").toString();
            String address =
                    "https://localhost:" + encrypted.broker().adminAddress().getPort();
            assertThat(reload(address, "", "--set", "rocketbufs.tls.ca=" + ca)).isZero();
            assertThat(reload(encrypted.broker(), "", "--set", "rocketbufs.tls.ca=" + ca, "--tls"))
                    .isZero();
            assertThat(reload(encrypted.broker(), "", "--ca", ca)).isZero();
            assertThat(recorded.out()).isEmpty();
            Files.copy(TlsFiles.file("elsewhere.pem"), folder.resolve("admin.pem"), REPLACE_EXISTING);
            assertThat(reload(encrypted.broker(), "", "--ca", ca)).isEqualTo(3);
            assertThat(recorded.err()).contains("rbmq.admin.tls.certificate: ", "admin.key");
            Files.copy(TlsFiles.file("elsewhere.key"), folder.resolve("admin.key"), REPLACE_EXISTING);
            assertThat(reload(encrypted.broker(), "", "--ca", ca)).isZero();
            assertThat(recorded.out()).startsWith("rbmq.admin.tls: ").contains("now contains \"CN=localhost\"");
            // The new certificate is for another host.
            assertThat(reload(encrypted.broker(), "", "--ca", ca)).isEqualTo(69);
            assertThat(recorded.err()).contains("no broker answers at https://127.0.0.1:");
            String other = TlsFiles.file("other-ca.pem").toString();
            assertThat(reload(encrypted.broker(), "", "--ca", other)).isEqualTo(69);
            assertThat(reload(encrypted.broker(), "")).isEqualTo(69);
        }
    }

    @Test
    void shouldPrintEachChange() {
        running.configure(USERS.replace("desk", "disk"), "rbmq.admin.address = 0.0.0.0", "rbmq.port = 7620");
        assertThat(reload(running.broker(), "ops-token")).isZero();
        assertThat(recorded.out()).isEqualTo("rbmq.users: user \"desk\" removed\nrbmq.users: user \"disk\" added\n");
        assertThat(recorded.err()).isEqualTo("rbmq: rbmq.port: 0 -> 7620 is not applied, because it needs a restart\n");
        assertThat(reload(running.broker(), "ops-token")).isZero();
        assertThat(recorded.out()).isEmpty();
        assertThat(recorded.err()).endsWith("\nrbmq: no setting in force has changed\n");
    }

    @Test
    void shouldExitWith3AndPrintEveryMistake() {
        running.configure("rbmq.broker.capacity = x", "rbmq.admin.address = 0.0.0.0");
        assertThat(reload(running.broker(), "ops-token")).isEqualTo(3);
        assertThat(recorded.out()).isEmpty();
        assertThat(recorded.err()).startsWith("rbmq: String: 6: rbmq.broker.capacity: \"x\" cannot be read");
    }

    @Test
    void shouldExitWith77WithoutTheRightToReload() {
        assertThat(reload(running.broker(), "desk-token")).isEqualTo(77);
        assertThat(recorded.err()).contains("user \"desk\" is not an administrator");
        assertThat(reload(running.broker(), "wrong")).isEqualTo(77);
        assertThat(recorded.err()).contains("the token is not valid");
    }

    @Test
    void shouldSayThatAProgramMustReloadTheBrokerThatItContains() {
        try (Broker embedded = Broker.open(running.another(), BrokerSettings.from(RunningBroker.config()))) {
            assertThat(reload(embedded, "")).isEqualTo(1);
            assertThat(recorded.err()).contains("belongs to the program that contains it");
        }
    }
}
