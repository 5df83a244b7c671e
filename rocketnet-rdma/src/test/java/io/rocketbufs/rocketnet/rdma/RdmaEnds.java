package io.rocketbufs.rocketnet.rdma;

import static io.rocketbufs.rocketnet.rdma.RdmaRecordingHandler.await;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportListener;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * A transport that listens on the loopback interface and connects to itself, so that a test has both ends of each
 * connection.
 */
final class RdmaEnds implements AutoCloseable {
    static final int CAPACITY = 1 << 16;

    final MemoryPool memory = new MemoryPool(16 << 20);
    final Transport transport;
    final TransportListener listener;
    private final List<RdmaRecordingHandler> accepted = new CopyOnWriteArrayList<>();

    /** Opens a transport with settings. Each setting is a line such as {@code receives = 100}. */
    RdmaEnds(String... settings) {
        transport = new RdmaTransportProvider().open(config(ConfigFactory.load(), settings));
        listener = listen(loopback(0));
    }

    /**
     * Returns a configuration in which the given settings override {@code config}. The provider is tcp unless a setting
     * selects another.
     */
    static Config config(Config config, String... settings) {
        return ConfigFactory.parseString("rocketbufs.rdma { provider = tcp\n" + String.join("\n", settings) + " }")
                .withFallback(config);
    }

    static InetSocketAddress loopback(int port) {
        return new InetSocketAddress("127.0.0.1", port);
    }

    /** Listens on an additional address. */
    TransportListener listen(InetSocketAddress address) {
        return transport.listen(address, connection -> {
            RdmaRecordingHandler handler = new RdmaRecordingHandler(memory, CAPACITY).of(connection);
            accepted.add(handler);
            return handler;
        });
    }

    /** Connects to the listener. */
    RdmaRecordingHandler connect() throws Exception {
        return connect(listener.address());
    }

    /** Connects to an address. */
    RdmaRecordingHandler connect(InetSocketAddress address) throws Exception {
        RdmaRecordingHandler handler = new RdmaRecordingHandler(memory, CAPACITY);
        transport.connect(address, handler::of).get(60, TimeUnit.SECONDS);
        return handler;
    }

    /** Connects with a JDK socket, so that the test controls every byte. */
    Socket connectRaw() throws IOException {
        return new Socket(listener.address().getAddress(), listener.address().getPort());
    }

    /** Returns the number of connections that the listener has accepted. */
    int acceptedCount() {
        return accepted.size();
    }

    /** Returns the accepting end of the {@code i}-th connection. */
    RdmaRecordingHandler accepted(int i) {
        await().until(() -> accepted.size() > i);
        return accepted.get(i);
    }

    /** Drops the references to the accepting ends. */
    void forgetAccepted() {
        accepted.clear();
    }

    @Override
    public void close() {
        transport.close();
    }
}
