package io.rocketbufs.rbmq;

import static io.rocketbufs.contract.TlsFiles.certificate;
import static io.rocketbufs.contract.TlsFiles.clientAuthority;
import static io.rocketbufs.contract.TlsFiles.clientCertificate;
import static io.rocketbufs.contract.TlsFiles.trust;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.SubscriberCallback;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.text.HostPort;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of clients that connect to a broker with and without TLS. */
@Tag("once")
@Timeout(600)
final class TlsSystemTest {
    private final RunningBroker running = new RunningBroker(
            "rocketbufs.transport = tls",
            certificate("server"),
            trust("ca"),
            clientAuthority("ca"),
            "rbmq.listeners = [{ transport = tls, port = 0 }, { transport = tcp, port = 0 }]",
            "rbmq.users = [",
            "{ name = edge1, certificate = \"CN=edge1,O=Example\", publish = [\"edge/1/#\"],"
                    + " subscribe = [\"edge/1/#\"] }",
            "{ name = feed, token = feed-token, publish = [\"#\"], subscribe = [\"#\"] }",
            "]");

    @AfterEach
    void close() {
        running.close();
    }

    private InetSocketAddress plainAddress() {
        return running.broker().addresses().get(1);
    }

    /** Opens a client's RocketBufs with TLS settings that differ from the broker's. */
    private RocketBufs client(String... settings) {
        return running.opened(RocketBufs.open(RunningBroker.config(settings)));
    }

    private static String receive(Subscriber subscriber, Publisher publisher, String topic) throws Exception {
        CompletableFuture<String> received = new CompletableFuture<>();
        subscriber
                .subscribe(topic, message -> received.complete(message.text()))
                .ready()
                .get(60, TimeUnit.SECONDS);
        publisher.topic(topic).publish("Hello".getBytes(UTF_8));
        return received.get(60, TimeUnit.SECONDS);
    }

    @Test
    void shouldPassMessagesBetweenClientsWithAndWithoutTls() throws Exception {
        ClientSettings encrypted = running.client().withToken("feed-token");
        ClientSettings plain = encrypted.withTransport("tcp").withBroker(plainAddress());
        Publisher publisher = running.publisher(encrypted);
        assertThat(receive(running.subscriber(plain, new SubscriberCallback() {}), publisher, "a"))
                .isEqualTo("Hello");
        assertThat(receive(running.subscriber(encrypted, new SubscriberCallback() {}), publisher, "b"))
                .isEqualTo("Hello");
    }

    @Test
    void shouldGiveAClientTheRightsOfItsCertificate() throws Exception {
        RocketBufs edge1 = client(trust("ca"), clientCertificate("edge1"));
        try (Publisher publisher = Publisher.connect(edge1, running.client());
                Subscriber subscriber = Subscriber.connect(edge1, running.client(), new SubscriberCallback() {})) {
            assertThat(receive(subscriber, publisher, "edge/1/state")).isEqualTo("Hello");
            assertThatThrownBy(() -> subscriber
                            .subscribe("edge/2/state", message -> {})
                            .ready()
                            .get(60, TimeUnit.SECONDS))
                    .hasMessageContaining(
                            "user \"edge1\" may subscribe to edge/1/#, but not to topic \"edge/2/state\"");
        }
    }

    @Test
    void shouldRefuseACertificateThatBelongsToNoUser() {
        RocketBufs edge2 = client(trust("ca"), clientCertificate("edge2"));
        assertRefused(
                edge2,
                running.client(),
                "the certificate \"CN=edge2, O=Example\" belongs to no user, and there is no token");
    }

    @Test
    void shouldRefuseAClientWithoutTokenAndCertificate() {
        assertRefused(client(trust("ca")), running.client(), "a token is required");
    }

    @Test
    void shouldNotTryFurtherAddressesAfterACertificateOfAnotherAuthority() {
        RocketBufs stranger = client(trust("ca"), clientCertificate("stranger"));
        ClientSettings settings = running.client()
                .withBrokers(List.of(
                        HostPort.parse(HostPort.of(running.address())),
                        HostPort.parse(HostPort.of(running.address()))));
        assertRefused(stranger, settings, "the peer does not trust the authority that issued it");
    }

    private static void assertRefused(RocketBufs rocketBufs, ClientSettings settings, String reason) {
        assertThatThrownBy(() -> Publisher.connect(rocketBufs, settings))
                .isInstanceOfSatisfying(
                        TransportException.class,
                        failure -> assertThat(failure.code()).isEqualTo(TransportException.Code.REFUSED))
                .hasMessageContaining(reason)
                .hasMessageNotContaining("none of");
    }

    @Test
    void shouldTellAClientWithoutTlsToUseIt() {
        ClientSettings plain = running.client().withTransport("tcp");
        assertThatThrownBy(() -> Publisher.connect(running.clients(), plain))
                .hasMessage(HostPort.of(running.address())
                        + " speaks TLS; connect with TLS (rocketbufs.transport = tls, or --tls)");
    }

    @Test
    void shouldTellAClientWithTlsThatTheListenerHasNone() {
        try (LoggedLines logged = new LoggedLines()) {
            assertThatThrownBy(() -> Publisher.connect(
                            running.clients(), running.client().withBroker(plainAddress())))
                    .hasMessageContaining(
                            "the peer closed the connection during the TLS handshake; it may not use TLS");
            // The broker logs the reason after it has closed the connection.
            await().until(() ->
                    !logged.with("speaks TLS; this listener is without TLS").isEmpty());
        }
    }
}
