package io.rocketbufs.rbmq.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.Listener;
import io.rocketbufs.ROut;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.rbmq.RunningBroker;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.protocol.Welcome;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportException.Code;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
final class ClientSessionsTest {
    @Test
    void shouldRefuseClientsTemporarilyWhileTheBrokerIsClosing() {
        try (RunningBroker other = new RunningBroker()) {
            RocketBufs rocketBufs = other.another();
            ROut out = other.opened(new ROut(rocketBufs));
            ClientSessions sessions =
                    new ClientSessions(null, null, null, out, null, null, null, null, () -> Welcome.of(1, 1000), null);
            sessions.close();
            Listener closing = other.opened(new Listener(rocketBufs, new InetSocketAddress("127.0.0.1", 0)));
            closing.setConnectionCallback(connection -> sessions.onConnection(connection, true));
            InetSocketAddress address = closing.address();
            for (int i = 0; i < 2; i++) {
                boolean publishes = i == 0;
                TransportException failure = catchThrowableOfType(TransportException.class, () -> {
                    if (publishes) {
                        Publisher.connect(other.clients(), other.client().withBroker(address));
                    } else {
                        Subscriber.connect(other.clients(), other.client().withBroker(address));
                    }
                });
                assertThat(failure.code()).isEqualTo(Code.RESOURCES);
                assertThat(failure).hasMessageContaining("the broker is closing");
            }
            await().until(() -> rocketBufs.metrics().connections().isEmpty());
        }
    }

    @Test
    void shouldCloseTheConnectionOfAClientThatIsAdmittedWhileTheBrokerCloses() {
        try (RunningBroker other = new RunningBroker()) {
            RocketBufs rocketBufs = other.another();
            BrokerSettings settings = BrokerSettings.from(RunningBroker.config());
            RefusalCounts refusals = new RefusalCounts();
            AtomicReference<ClientSessions> sessions = new AtomicReference<>();
            AtomicReference<CompletableFuture<Void>> closing = new AtomicReference<>();
            Supplier<BrokerSettings.Limits> limits = () -> { // read after the session has found the broker open
                sessions.get().close();
                closing.set(sessions.get().closePublishers("the broker is closing"));
                return settings.limits();
            };
            sessions.set(new ClientSessions(
                    null,
                    null,
                    null,
                    null,
                    new Reloads(settings, refusals, null, former -> {}),
                    refusals,
                    new ConnectedClients(null, bufferId -> null),
                    new BrokerLimits(limits, new ProcessMemory(), refusals),
                    () -> Welcome.of(1, 1000),
                    new OfferedListeners(rocketBufs.automatic(), 1)));
            Listener listener = other.opened(new Listener(rocketBufs, new InetSocketAddress("127.0.0.1", 0)));
            listener.setConnectionCallback(connection -> sessions.get().onConnection(connection, true));
            Publisher publisher =
                    Publisher.connect(other.clients(), other.client().withBroker(listener.address()));
            assertThat(closing.get()).isCompleted();
            assertThat(publisher.closed())
                    .failsWithin(60, TimeUnit.SECONDS)
                    .withThrowableThat()
                    .withMessageContaining("the broker is closing");
            await().until(() -> rocketBufs.metrics().connections().isEmpty());
        }
    }
}
