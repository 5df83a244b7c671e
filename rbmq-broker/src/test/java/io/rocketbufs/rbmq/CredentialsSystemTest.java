package io.rocketbufs.rbmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.SubscriberCallback;
import io.rocketbufs.rocketnet.TransportException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(180)
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
    @ValueSource(strings = {"old", "new"})
    void shouldAcceptAClientWithAnyOfTheTokens(String token) {
        assertThat(running.publisher(settings.withToken(token)).isConnected()).isTrue();
    }
}
