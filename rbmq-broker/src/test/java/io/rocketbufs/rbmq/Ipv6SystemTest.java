package io.rocketbufs.rbmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.abort;

import io.rocketbufs.metrics.ConnectionState;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rocketnet.TransportException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests of a broker on the IPv6 loopback address, over TCP. Log lines and errors must show addresses in brackets and in
 * compressed form.
 */
@Timeout(600)
final class Ipv6SystemTest {
    private static final String SETTINGS = "rbmq.address = \"::1\"\nrbmq.admin.address = \"::1\"";

    @BeforeAll
    static void requireLoopbackAddress() {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress("::1", 0));
        } catch (IOException e) {
            abort("this machine has no address ::1: " + e.getMessage());
        }
    }

    @Test
    void shouldServeClientsAndShowCompressedAddresses() throws Exception {
        try (LoggedLines logged = new LoggedLines();
                RunningBroker running = new RunningBroker(SETTINGS)) {
            String address = "[::1]:" + running.address().getPort();
            Messages received = new Messages();
            Subscriber subscriber = running.subscriber();
            subscriber.subscribe("t", received).ready().get(60, TimeUnit.SECONDS);
            Publisher publisher = running.publisher();
            publisher.publish("t", "six".getBytes(UTF_8));
            await().until(() -> received.count() == 1);

            assertThat(running.broker().state().listeners()).containsExactly("tcp " + address);
            assertThat(logged.with("Broker listens on [tcp " + address + "]")).hasSize(1);
            assertThat(logged.with("connected over tcp"))
                    .hasSize(2)
                    .allMatch(line -> line.matches(".* at \\[::1]:\\d+ connected over tcp"));
            assertThat(running.clients().metrics().connections())
                    .extracting(ConnectionState::peer)
                    .containsOnly(address);
            running.loseBroker();
            assertThatThrownBy(() -> publisher.closed().get(60, TimeUnit.SECONDS))
                    .hasMessageContaining(address)
                    .hasMessageNotContaining("0:0:0");
        }
    }

    @Test
    void shouldShowTheAddressWhenNoBrokerListens() {
        try (RunningBroker running = new RunningBroker(SETTINGS)) {
            ClientSettings settings = running.client().withBroker("::1", 1);
            assertThatThrownBy(() -> running.publisher(settings))
                    .isInstanceOf(TransportException.class)
                    .hasMessage("connect to [::1]:1: connection refused, no listener on this address");
        }
    }
}
