package io.rocketbufs.livestream.system;

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

/** A proxy whose connections to a server can be interrupted and restored. */
final class FaultProxy implements AutoCloseable {
    private final InetSocketAddress server;
    private final ServerSocket listening;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private volatile boolean cut;
    private volatile boolean frozen;

    FaultProxy(InetSocketAddress server) throws IOException {
        this.server = server;
        this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        SocketThread.start("link", this::accept);
    }

    InetSocketAddress address() {
        return (InetSocketAddress) listening.getLocalSocketAddress();
    }

    /** Closes all connections and refuses new ones. */
    void cut() throws IOException {
        cut = true;
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    void mend() {
        cut = false;
    }

    /** Stops forwarding without closing or notifying any connection. */
    void freeze() {
        frozen = true;
    }

    /** Resumes forwarding, starting with the data that arrived while the proxy was stopped. */
    synchronized void thaw() {
        frozen = false;
        notifyAll();
    }

    private synchronized void awaitThawed() {
        try {
            while (frozen) {
                wait();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void accept() throws IOException {
        while (true) {
            Socket in = listening.accept();
            if (cut) {
                in.close();
                continue;
            }
            Socket out = new Socket(InetAddress.getLoopbackAddress(), server.getPort());
            in.setTcpNoDelay(true);
            out.setTcpNoDelay(true);
            sockets.add(in);
            sockets.add(out);
            SocketThread.start("link", () -> pass(in, out));
            SocketThread.start("link", () -> pass(out, in));
        }
    }

    private void pass(Socket from, Socket to) throws IOException {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] piece = new byte[16_384];
            for (int count = in.read(piece); count >= 0; count = in.read(piece)) {
                awaitThawed();
                out.write(piece, 0, count);
            }
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        thaw();
        cut();
    }
}
