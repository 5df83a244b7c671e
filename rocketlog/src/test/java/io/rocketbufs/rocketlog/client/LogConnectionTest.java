package io.rocketbufs.rocketlog.client;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.typesafe.config.Config;
import io.rocketbufs.Connection;
import io.rocketbufs.Listener;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.rocketlog.RunningLogBroker;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

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
