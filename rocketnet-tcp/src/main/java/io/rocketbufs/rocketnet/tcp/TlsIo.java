package io.rocketbufs.rocketnet.tcp;

import io.netty.channel.IoHandlerFactory;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportException.Code;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * I/O whose sockets are encrypted, on top of another implementation.
 *
 * <p><b>Ownership:</b> owns the contexts, the threads that run handshakes, and the memory for records.
 */
final class TlsIo implements TcpIo {
    private static final long SLAB_LENGTH = 16 << 20;
    private static final long IDLE_S = 10;

    private final TcpIo io;
    private final TlsContexts contexts;
    private final String serverName;
    private final MemoryPool memory = new MemoryPool(SLAB_LENGTH);
    private final ExecutorService handshakes;

    /**
     * Creates encrypted I/O.
     *
     * @param serverName name for which servers' certificates must be valid; empty for the host that is connected to
     */
    TlsIo(TcpIo io, TlsContexts contexts, String serverName) {
        this(io, contexts, serverName, handshakeThreads());
    }

    TlsIo(TcpIo io, TlsContexts contexts, String serverName, ExecutorService handshakes) {
        this.io = io;
        this.contexts = contexts;
        this.serverName = serverName;
        this.handshakes = handshakes;
    }

    private static ExecutorService handshakeThreads() {
        int threads = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
        AtomicInteger numbers = new AtomicInteger();
        // Each connection has at most one step in the queue, and the time limit of its greeting.
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
        TlsContext context = contexts.connecting();
        if (context == null) {
            throw new IOException("the transport is closed");
        }
        String host = serverName.isEmpty() ? address.getHostString() : serverName;
        return new TlsSocket(io.newSocket(address), context, host, memory, handshakes);
    }

    @Override
    public TcpServerSocket listen(InetSocketAddress address, int backlog) throws IOException {
        if (contexts.listening() == null) {
            throw new TransportException(
                    Code.UNAVAILABLE,
                    "cannot listen with transport \"tls\" without a certificate: set rocketbufs.tls.certificate and"
                            + " rocketbufs.tls.key");
        }
        return new TlsServerSocket(io.listen(address, backlog), this::secured);
    }

    private TcpSocket secured(TcpSocket accepted) {
        return new TlsSocket(accepted, contexts.listening(), null, memory, handshakes);
    }

    @Override
    public void close() {
        handshakes.shutdown();
        contexts.close();
        memory.close();
    }
}
