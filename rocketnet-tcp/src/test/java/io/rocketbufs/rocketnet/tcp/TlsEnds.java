package io.rocketbufs.rocketnet.tcp;

import static io.rocketbufs.rocketnet.tcp.TcpRecordingHandler.await;

import io.rocketbufs.contract.TlsFiles;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportListener;
import io.rocketbufs.rocketnet.TransportProvider;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A listening transport and connecting transports with different settings. */
final class TlsEnds implements AutoCloseable {
    private final MemoryPool memory = new MemoryPool(64 << 20);
    private final Transport server;
    private final TransportListener listener;
    private final List<TcpRecordingHandler> accepted = new CopyOnWriteArrayList<>();

    /** Opens an encrypted listener with settings of {@code rocketbufs.tls}. */
    TlsEnds(String... settings) {
        this(new TlsTransportProvider(), settings);
    }

    TlsEnds(TransportProvider provider, String... settings) {
        this(provider.open(TlsFiles.with(TcpEnds.config("auto"), settings)));
    }

    TlsEnds(Transport server) {
        this.server = server;
        listener = server.listen(TcpEnds.loopback(0), connection -> {
            TcpRecordingHandler handler = handler().of(connection);
            accepted.add(handler);
            return handler;
        });
    }

    /** Returns a source of warnings whose output is discarded. */
    static TlsExpiry expiry(TlsTransportSettings settings) {
        return new TlsExpiry(settings.sides(), settings.contexts(), InstantSource.system(), warning -> {});
    }

    Transport server() {
        return server;
    }

    private TcpRecordingHandler handler() {
        return new TcpRecordingHandler(memory, TcpEnds.CAPACITY);
    }

    InetSocketAddress address() {
        return listener.address();
    }

    /** Returns the accepting end of the {@code i}-th connection. */
    TcpRecordingHandler accepted(int i) {
        await().until(() -> accepted.size() > i);
        return accepted.get(i);
    }

    /** A connecting transport with one connection. */
    record Client(Transport transport, TcpRecordingHandler handler) implements AutoCloseable {
        @Override
        public void close() {
            transport.close();
        }
    }

    /** Connects with a new transport that has the given settings of {@code rocketbufs.tls}. */
    Client connect(String... settings) throws Exception {
        return connect(new TlsTransportProvider(), address(), settings);
    }

    Client connect(TransportProvider provider, InetSocketAddress address, String... settings) throws Exception {
        Transport transport = provider.open(TlsFiles.with(TcpEnds.config("auto"), settings));
        TcpRecordingHandler handler = handler();
        transport.connect(address, handler::of).get(60, TimeUnit.SECONDS);
        return new Client(transport, handler);
    }

    /** Connects with a JDK socket, so that the test controls every byte. */
    Socket connectRaw() throws IOException {
        return new Socket(address().getAddress(), address().getPort());
    }

    @Override
    public void close() {
        server.close();
    }

    /** Blocks the calling thread until a latch is released or the thread is interrupted. */
    static void hold(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
