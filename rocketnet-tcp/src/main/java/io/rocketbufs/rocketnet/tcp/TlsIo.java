package io.rocketbufs.rocketnet.tcp;

import io.netty.channel.IoHandlerFactory;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportException.Code;
import io.rocketbufs.settings.ReloadedFiles;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A {@link TcpIo} that encrypts the sockets of another implementation with TLS.
 *
 * <p><b>Ownership:</b> owns the contexts, the handshake threads, and the memory for records.
 */
final class TlsIo implements TcpIo {
    private static final long SLAB_LENGTH = 16 << 20;
    private static final long IDLE_S = 10;

    private final TcpIo io;
    private final TlsTransportSettings settings;
    private final TlsContexts contexts;
    private final TlsExpiry expiry;
    private final MemoryPool memory = new MemoryPool(SLAB_LENGTH);
    private final ExecutorService handshakes;

    /** Creates encrypted I/O, which owns the contexts in the settings. */
    TlsIo(TcpIo io, TlsTransportSettings settings, TlsExpiry expiry) {
        this(io, settings, expiry, handshakeThreads());
    }

    TlsIo(TcpIo io, TlsTransportSettings settings, TlsExpiry expiry, ExecutorService handshakes) {
        this.io = io;
        this.settings = settings;
        this.contexts = settings.contexts();
        this.expiry = expiry;
        this.handshakes = handshakes;
    }

    private static ExecutorService handshakeThreads() {
        int threads = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
        AtomicInteger numbers = new AtomicInteger();
        // The queue needs no limit: each connection has at most one step in it, and its greeting has a time limit.
        ThreadPoolExecutor made = new ThreadPoolExecutor(
                threads, threads, IDLE_S, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "rocketnet-tls-handshake-" + numbers.getAndIncrement());
                    thread.setDaemon(true);
                    return thread;
                });
        made.allowCoreThreadTimeOut(true);
        return made;
    }

    @Override
    public IoHandlerFactory handlerFactory() {
        return io.handlerFactory();
    }

    @Override
    public TcpSocket newSocket(InetSocketAddress address) throws IOException {
        String host = settings.serverName().isEmpty() ? address.getHostString() : settings.serverName();
        return new TlsSocket(io.newSocket(address), contexts, host, memory, handshakes);
    }

    @Override
    public TcpServerSocket listen(InetSocketAddress address, int backlog) throws IOException {
        if (settings.listening().certificate() == null) {
            throw new TransportException(
                    Code.UNAVAILABLE,
                    "cannot listen with transport \"tls\" without a certificate: set rocketbufs.tls.certificate and"
                            + " rocketbufs.tls.key");
        }
        return new TlsServerSocket(io.listen(address, backlog), this::secured);
    }

    private TcpSocket secured(TcpSocket accepted) {
        return new TlsSocket(accepted, contexts, null, memory, handshakes);
    }

    @Override
    public ReloadedFiles reloadFiles() {
        return TlsReload.read(settings.sides(), contexts, expiry::warn, Instant.now());
    }

    @Override
    public Instant certificateEnd() {
        return contexts.certificateEnd();
    }

    @Override
    public void close() {
        handshakes.shutdown();
        contexts.close();
        memory.close();
    }
}
