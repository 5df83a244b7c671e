package io.rocketbufs.rocketnet.tcp;

import static io.rocketbufs.rocketnet.tcp.TcpRecordingHandler.await;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportAcceptor;
import io.rocketbufs.rocketnet.TransportListener;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * A transport that listens on the loopback interface and connects to itself, so that a test has both ends of each
 * connection.
 */
final class TcpEnds implements AutoCloseable {
    static final int CAPACITY = 1 << 20;

    final MemoryPool memory = new MemoryPool(64 << 20);
    final Transport transport;
    final TransportListener listener;
    private final List<TcpRecordingHandler> accepted = new CopyOnWriteArrayList<>();

    /**
     * Opens a transport with {@code io} and additional settings. Each setting is a line such as {@code stage-length =
     * 100}.
     */
    TcpEnds(String io, String... settings) {
        this(UnaryOperator.identity(), io, settings);
    }

    TcpEnds(UnaryOperator<TcpRecordingHandler> prepare, String io, String... settings) {
        transport = new TcpTransportProvider().open(config(io, settings));
        listener = transport.listen(loopback(0), connection -> {
            TcpRecordingHandler handler =
                    prepare.apply(new TcpRecordingHandler(memory, CAPACITY)).of(connection);
            accepted.add(handler);
            return handler;
        });
    }

    static Config config(String io, String... settings) {
        String text = "rocketbufs.tcp { num-threads = 2, io = " + io + "\n" + String.join("\n", settings) + " }";
        return ConfigFactory.parseString(text).withFallback(ConfigFactory.load());
    }

    static InetSocketAddress loopback(int port) {
        return new InetSocketAddress("127.0.0.1", port);
    }

    /** Connects with the transport. */
    TcpRecordingHandler connect() throws Exception {
        TcpRecordingHandler handler = new TcpRecordingHandler(memory, CAPACITY);
        TransportAcceptor acceptor = handler::of;
        transport.connect(listener.address(), acceptor).get(60, TimeUnit.SECONDS);
        return handler;
    }

    /** Connects with a JDK socket, so that the test controls every byte. */
    Socket connectRaw() throws IOException {
        Socket socket =
                new Socket(listener.address().getAddress(), listener.address().getPort());
        socket.setTcpNoDelay(true);
        return socket;
    }

    /** Returns the accepting end of the {@code i}-th connection. */
    TcpRecordingHandler accepted(int i) {
        await().until(() -> accepted.size() > i);
        return accepted.get(i);
    }

    @Override
    public void close() {
        transport.close();
    }
}
