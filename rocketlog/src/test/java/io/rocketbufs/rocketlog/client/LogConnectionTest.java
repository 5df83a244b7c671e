package io.rocketbufs.rocketlog.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigValueFactory;
import io.rocketbufs.Connection;
import io.rocketbufs.Listener;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.rocketlog.RunningLogBroker;
import io.rocketbufs.settings.SettingsException;
import io.rocketbufs.text.ClientName;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(600)
final class LogConnectionTest {
    @TempDir
    Path folder;

    @Test
    void shouldCloseTheConnectionOfATopicClientThatTheBrokerAcceptsTooLate() throws Exception {
        connectTooEarly(TopicClient::connect);
    }

    @Test
    void shouldCloseTheConnectionOfAProducerThatTheBrokerAcceptsTooLate() throws Exception {
        connectTooEarly(
                (rocketBufs, settings) -> LogProducer.open(rocketBufs, settings, "orders", ProducerCallback.NONE));
    }

    @Test
    void shouldNameTheProcessUnlessANameIsConfigured() {
        LogClientSettings settings = LogClientSettings.from(RunningLogBroker.config(folder));
        assertThat(settings.name()).isEqualTo(ClientName.ofProcess());
        assertThat(settings.withName("feed").name()).isEqualTo("feed");
        assertThat(LogClientSettings.from(RunningLogBroker.config(folder, "rocketlog.client.name = desk"))
                        .name())
                .isEqualTo("desk");
    }

    @ParameterizedTest
    @ValueSource(strings = {"two\nlines", "\u001b[2J", "a\u2028b", "a\u202eb"})
    void shouldRefuseANameThatCouldForgeALogLine(String name) {
        assertRefused(name, "contains a control character, a line separator, or a mark");
    }

    @Test
    void shouldRefuseANameThatIsTooLong() {
        assertRefused("\u00e9".repeat(129), "is longer than 256 bytes");
    }

    private void assertRefused(String name, String reason) {
        Config named = RunningLogBroker.config(folder)
                .withValue("rocketlog.client.name", ConfigValueFactory.fromAnyRef(name, "test"));
        assertThatExceptionOfType(SettingsException.class)
                .isThrownBy(() -> LogClientSettings.from(named))
                .withMessageContaining("rocketlog.client.name")
                .withMessageContaining(reason);
        LogClientSettings settings = LogClientSettings.from(RunningLogBroker.config(folder));
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> settings.withName(name))
                .withMessageContaining(reason);
    }

    private void connectTooEarly(BiFunction<RocketBufs, LogClientSettings, AutoCloseable> connect) throws Exception {
        Config config = RunningLogBroker.config(
                folder, "rocketbufs.transport = tcp", "rocketlog.client.connect-timeout = 200 ms");
        CompletableFuture<Void> mayAccept = new CompletableFuture<>();
        CompletableFuture<Connection> accepted = new CompletableFuture<>();
        try (RocketBufs broker = RocketBufs.open(config);
                RocketBufs client = RocketBufs.open(config);
                Listener listener = new Listener(broker, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            listener.setConnectionCallback(connection -> {
                accepted.complete(connection);
                mayAccept.join();
            });
            LogClientSettings settings = LogClientSettings.from(config).withBroker(listener.address());
            do { // on a busy machine, the client may give up before the broker has accepted its connection
                assertThatExceptionOfType(LogClientException.class)
                        .isThrownBy(() -> connect.apply(client, settings))
                        .withMessageContaining("the broker did not respond within 200 ms");
            } while (!accepted.isDone());
            mayAccept.complete(null);
            accepted.get(60, TimeUnit.SECONDS).closed().get(60, TimeUnit.SECONDS);
        } finally {
            mayAccept.complete(null);
        }
    }
}
