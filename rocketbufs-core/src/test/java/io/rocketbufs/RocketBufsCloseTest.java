package io.rocketbufs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.typesafe.config.ConfigFactory;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportListener;
import io.rocketbufs.rocketnet.loopback.LoopbackNetwork;
import io.rocketbufs.rocketnet.loopback.LoopbackOptions;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
final class RocketBufsCloseTest {
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress("127.0.0.1", 0);

    private final TwoProcesses processes = new TwoProcesses();

    @AfterEach
    void close() {
        processes.close();
    }

    @Test
    void shouldRefuseToCloseOnAWorkerButCloseOnAnotherThread() throws Exception {
        processes.out.createBuffer(1, 1000);
        RIn in = processes.connect();
        CompletableFuture<Throwable> refused = new CompletableFuture<>();
        in.setDataInCallback((bufferId, data) -> {
            refused.complete(catchThrowable(processes.receiving::close));
            in.dataConsumed(bufferId, data.length());
        });
        in.subscribe(1, 1000).get(60, TimeUnit.SECONDS);
        processes.deliver(1, 10);
        assertThat(refused.get(60, TimeUnit.SECONDS)).isInstanceOf(IllegalStateException.class);
        assertThat(in.connection().isOpen()).isTrue();
        assertThat(processes.receiving.memoryInUse()).isPositive();
        processes.out.flush(1).get(60, TimeUnit.SECONDS);
        processes.receiving.close();
        assertThat(in.connection().isOpen()).isFalse();
    }

    /** Otherwise, a peer could reconnect, over another transport, to the process that is being closed. */
    @Test
    void shouldCloseEveryListenerBeforeAnyConnection() throws Exception {
        try (LoopbackNetwork network = new LoopbackNetwork(LoopbackOptions.socket());
                RocketBufs connecting = open(network, "connecting")) {
            RocketBufs closing = open(network, "first", "last");
            Listener first = new Listener(closing, ANY_PORT, "first");
            Listener last = new Listener(closing, ANY_PORT, "last");
            CompletableFuture<Connection> accepted = new CompletableFuture<>();
            first.setConnectionCallback(accepted::complete);
            connect(connecting, first.address()).get(60, TimeUnit.SECONDS);
            // Runs while the transport "first" is being closed.
            CompletableFuture<Throwable> refusal = accepted.get(60, TimeUnit.SECONDS)
                    .closed()
                    .thenCompose(end -> connect(connecting, last.address()))
                    .handle((connection, failure) -> failure);
            closing.close();
            assertThat(refusal.get(60, TimeUnit.SECONDS)).hasMessageContaining("there is no listener");
        }
    }

    @Test
    void shouldCloseAListenerThatWasBeingOpened() {
        try (LoopbackNetwork network = new LoopbackNetwork(LoopbackOptions.socket());
                RocketBufs connecting = open(network, "connecting");
                Transport transport = network.transport("slow")) {
            AtomicReference<RocketBufs> closing = new AtomicReference<>();
            AtomicReference<InetSocketAddress> opened = new AtomicReference<>();
            // Stays open during the test, because the listener would close with it.
            Transport slow = proxy((method, arguments) -> {
                if (method.getName().equals("close")) {
                    return null;
                }
                Object result = method.invoke(transport, arguments);
                if (result instanceof TransportListener listener) {
                    opened.set(listener.address());
                    closing.get().close();
                }
                return result;
            });
            closing.set(RocketBufs.open(ConfigFactory.load(), slow));
            assertThatThrownBy(() -> new Listener(closing.get(), ANY_PORT, "slow"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("RocketBufs is closed: transport=slow");
            assertThat(connect(connecting, opened.get()))
                    .failsWithin(60, TimeUnit.SECONDS)
                    .withThrowableThat()
                    .withMessageContaining("there is no listener");
        }
    }

    /** The behaviour of a proxied transport. */
    private interface Calls {
        Object call(Method method, Object[] arguments) throws ReflectiveOperationException;
    }

    private static Transport proxy(Calls calls) {
        return (Transport) Proxy.newProxyInstance(
                Transport.class.getClassLoader(),
                new Class<?>[] {Transport.class},
                (proxy, method, arguments) -> calls.call(method, arguments));
    }

    private static RocketBufs open(LoopbackNetwork network, String... names) {
        return RocketBufs.open(
                ConfigFactory.load(), Stream.of(names).map(network::transport).toArray(Transport[]::new));
    }

    private static CompletableFuture<Connection> connect(RocketBufs rocketBufs, InetSocketAddress address) {
        return rocketBufs.connect(
                address, ConnectOptions.as(Role.SUBSCRIBER, connection -> {}).over("connecting"));
    }
}
