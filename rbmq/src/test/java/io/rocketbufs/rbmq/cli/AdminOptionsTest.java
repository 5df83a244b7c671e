package io.rocketbufs.rbmq.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.cli.CommandFailure;
import io.rocketbufs.cli.RecordedStreams;
import io.rocketbufs.contract.TlsFiles;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

/** Tests of the conditions under which commands use HTTPS, and of the servers to which they send a token. */
@Tag("once")
@Timeout(600)
final class AdminOptionsTest {
    private static final int TLS_HANDSHAKE = 22;
    /** An address reserved for documentation (RFC 5737); the tests do not connect to it. */
    private static final String REMOTE = "192.0.2.1:7611";

    private static final String LOCAL = "127.0.0.1:7611";
    private static final String TOKEN = "rbmq.client.token=ops-token";

    private final String ca = TlsFiles.file("ca.pem").toString();

    /** Returns the client for the given arguments, which follow {@code --admin}. */
    private static AdminClient client(String... words) {
        List<String> all = new ArrayList<>(List.of("--set", TOKEN, "--admin"));
        all.addAll(List.of(words));
        @CommandLine.Command
        final class Holder {}
        AdminOptions options = new AdminOptions();
        CommandLine command = new CommandLine(new Holder());
        command.addMixin("admin", options);
        command.parseArgs(all.toArray(String[]::new));
        return options.client();
    }

    @Test
    void shouldUseHttpWithoutTls() {
        assertThat(client(LOCAL).isEncrypted()).isFalse();
        assertThat(client(REMOTE).isEncrypted()).isFalse();
    }

    @Test
    void shouldUseHttpsIfItIsRequested() {
        assertThat(client("https://" + LOCAL + "/").isEncrypted()).isTrue();
        assertThat(client("https://" + LOCAL).address()).isEqualTo(LOCAL);
        assertThat(client(LOCAL, "--tls").isEncrypted()).isTrue();
        assertThat(client(LOCAL, "--ca", ca).isEncrypted()).isTrue();
        assertThat(client(LOCAL, "--set", "rbmq.admin.tls.enabled=on").isEncrypted())
                .isTrue();
    }

    @Test
    void shouldUseHttpsForAnotherMachineIfTlsIsConfigured() {
        String trust = "rocketbufs.tls.ca=" + ca;
        assertThat(client(REMOTE, "--set", trust).isEncrypted()).isTrue();
        assertThat(client(REMOTE, "--set", "rocketbufs.transport=tls").isEncrypted())
                .isTrue();
        assertThat(client(REMOTE, "--set", "rbmq.subscriber.transport=tls").isEncrypted())
                .isTrue();
        assertThat(client(LOCAL, "--set", trust).isEncrypted()).isFalse();
    }

    @Test
    void shouldTrustTheAuthoritiesOfTheAdminInterfaceUnlessOthersAreGiven() {
        assertThat(client(REMOTE, "--set", "rbmq.admin.tls.ca=" + ca).isEncrypted())
                .isTrue();
        String[] missing = {LOCAL, "--set", "rbmq.admin.tls.enabled=on", "--set", "rbmq.admin.tls.ca=/missing"};
        assertThatThrownBy(() -> client(missing))
                .isInstanceOf(CommandFailure.class)
                .hasMessageStartingWith("rbmq.admin.tls.ca: /missing cannot be used");
        String[] given = Arrays.copyOf(missing, missing.length + 2);
        given[missing.length] = "--ca";
        given[missing.length + 1] = ca;
        assertThat(client(given).isEncrypted()).isTrue();
    }

    @Test
    void shouldRefuseToSendATokenUnencryptedToAnotherMachineIfTlsIsConfigured() {
        assertThatThrownBy(() -> client("http://" + REMOTE, "--ca", ca))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("does not send the token unencrypted to another machine")
                .hasMessageContaining("use --admin https://" + REMOTE);
        assertThat(client("http://" + REMOTE, "--ca", ca, "--set", "rbmq.client.token=\"\"")
                        .isEncrypted())
                .isFalse();
        assertThat(client("http://" + LOCAL, "--ca", ca).isEncrypted()).isFalse();
    }

    @Test
    void shouldSendNothingButAHandshakeToAServerWithoutTls() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            CompletableFuture<Integer> first = new CompletableFuture<>();
            new Thread(() -> {
                        try (Socket socket = server.accept()) {
                            first.complete(socket.getInputStream().read());
                        } catch (IOException e) {
                            first.completeExceptionally(e);
                        }
                    })
                    .start();
            RecordedStreams recorded = new RecordedStreams("rbmq");
            String[] words = {"topics", "--admin", "127.0.0.1:" + server.getLocalPort(), "--ca", ca, "--set", TOKEN};
            assertThat(Main.run(words, recorded.withoutInput())).isEqualTo(69);
            assertThat(first.get(60, TimeUnit.SECONDS)).isEqualTo(TLS_HANDSHAKE);
            assertThat(recorded.err()).contains("no broker answers at https://127.0.0.1:");
        }
    }
}
