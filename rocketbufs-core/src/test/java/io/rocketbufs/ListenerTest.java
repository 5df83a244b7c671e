package io.rocketbufs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.typesafe.config.ConfigFactory;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.loopback.LoopbackNetwork;
import io.rocketbufs.rocketnet.loopback.LoopbackOptions;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
final class ListenerTest {
    @Test
    void shouldRefuseConnectionsTemporarilyUntilItHasACallback() throws Exception {
        try (LoopbackNetwork network = new LoopbackNetwork(LoopbackOptions.oneSided());
                RocketBufs rocketBufs = RocketBufs.open(ConfigFactory.load(), network.transport("loopback"));
                Listener listener = new Listener(rocketBufs, new InetSocketAddress("127.0.0.1", 0), "loopback")) {
            ConnectOptions options =
                    ConnectOptions.as(Role.SUBSCRIBER, connection -> {}).over("loopback");
            Throwable failure = catchThrowable(
                    () -> rocketBufs.connect(listener.address(), options).get(60, TimeUnit.SECONDS));
            assertThat(failure)
                    .cause()
                    .isInstanceOfSatisfying(
                            TransportException.class,
                            cause -> assertThat(cause.code()).isEqualTo(TransportException.Code.RESOURCES))
                    .hasMessageContaining("the listener has no connection callback yet");
            listener.setConnectionCallback(connection -> {});
            rocketBufs.connect(listener.address(), options).get(60, TimeUnit.SECONDS);
        }
    }
}
