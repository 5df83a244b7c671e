package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.process.SocketThread;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;

/**
 * A TCP proxy in front of a broker, which can pass the bytes of its clients slowly. It passes the broker's bytes
 * immediately.
 */
final class SlowLink implements AutoCloseable {
    /** Number of bytes that are passed at once, at most. */
    private static final int PIECE = 1000;

    private static final int ENDLESS = 1 << 29;

    private final InetSocketAddress broker;
    private final ServerSocket listening;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    /** Number of bytes that may be passed to the broker. */
    private final Semaphore allowed = new Semaphore(ENDLESS);

    SlowLink(InetSocketAddress broker) throws IOException {
        this.broker = broker;
        this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        SocketThread.start("link", this::accept);
    }

    InetSocketAddress address() {
        return (InetSocketAddress) listening.getLocalSocketAddress();
    }

    /** Passes the given number of bytes to the broker, and then only as many as {@link #pass} permits. */
    void holdAfter(int bytes) {
        allowed.drainPermits();
        allowed.release(bytes);
    }

    /** Returns true if bytes of a client are waiting. */
    boolean isHolding() {
        return allowed.hasQueuedThreads();
    }

    /** Passes the given number of bytes to the broker, as soon as they arrive. */
    void pass(int bytes) {
        allowed.release(bytes);
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = listening.accept();
            Socket server = new Socket(broker.getAddress(), broker.getPort());
            sockets.add(client);
            sockets.add(server);
            SocketThread.start("link", () -> pass(client, server, true));
            SocketThread.start("link", () -> pass(server, client, false));
        }
    }

    private void pass(Socket from, Socket to, boolean isLimited) throws IOException {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] bytes = new byte[PIECE];
            for (int count = in.read(bytes); count >= 0; count = in.read(bytes)) {
                if (isLimited) {
                    allowed.acquireUninterruptibly(count);
                }
                out.write(bytes, 0, count);
            }
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        for (Socket socket : sockets) {
            socket.close();
        }
        allowed.release(ENDLESS); // ends the threads that wait
    }
}
