package io.rocketbufs.rbmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.rbmq.client.ClientOptions;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.RbmqClient;
import io.rocketbufs.rbmq.client.SubscriberCallback;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.text.HostPort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(600)
final class CredentialsSystemTest {
    private final RunningBroker running = new RunningBroker("rbmq.credentials = [\"old\", \"new\"]");
    private final ClientSettings settings = running.client();

    @AfterEach
    void close() {
        running.close();
    }

    @ParameterizedTest
    @CsvSource({"'', a token is required", "wrong, the token is not valid", "ol, the token is not valid"})
    void shouldRefuseAClientWithoutAValidTokenAndReportTheReason(String token, String reason) {
        ClientSettings refused = settings.withToken(token);

        assertThatThrownBy(() -> running.publisher(refused))
                .isInstanceOf(TransportException.class)
                .hasMessageEndingWith("refused: " + reason);
        assertThatThrownBy(() -> running.subscriber(refused, new SubscriberCallback() {}))
                .isInstanceOf(TransportException.class)
                .hasMessageEndingWith("refused: " + reason);
    }

    @ParameterizedTest
    @CsvSource({"rw-r--r--, 1", "rw-r-----, 0"})
    void shouldWarnOnceOfATokenFileThatOthersCanRead(String permissions, int warningCount, @TempDir Path folder)
            throws IOException {
        Path file = Files.writeString(folder.resolve("token"), "new");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
        try (LoggedLines logged = new LoggedLines();
                RbmqClient client =
                        RbmqClient.connect(ClientOptions.from(RunningBroker.config("rbmq.client { token-file = \""
                                + file + "\", broker = \"" + HostPort.of(running.address()) + "\" }")))) {
            assertThat(client.publisher().isConnected() && client.subscriber().isConnected())
                    .isTrue();
            assertThat(logged.with("WARN All users of this machine can read " + file))
                    .hasSize(warningCount);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"old", "new"})
    void shouldAcceptAClientWithAnyOfTheTokens(String token) {
        assertThat(running.publisher(settings.withToken(token)).isConnected()).isTrue();
    }
}
