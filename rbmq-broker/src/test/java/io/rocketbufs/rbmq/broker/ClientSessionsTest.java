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
}
