package io.rocketbufs.rbmq;

import io.rocketbufs.process.SocketThread;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/**
 * A TCP proxy that cuts connections or slows them down while the programs on both sides keep running.
 *
 * <p><b>Thread-safety:</b> any thread. <b>Ownership:</b> owns its sockets, and threads that end when the sockets are
 * closed.
 */
public final class CuttableProxy implements AutoCloseable {
    private static final int SMALL = 4096;

    private final ServerSocket server;
    /** The pace of the link; null if data passes as fast as it arrives. */
    private final LinkPace pace;

    private volatile InetSocketAddress target;
    private final List<Socket> sockets = new ArrayList<>();
    private boolean refusing;
    private boolean silent;
    private int acceptedCount;

    /** Starts a proxy for an address. */
    public CuttableProxy(InetSocketAddress target) throws IOException {
        this(target, null);
    }

    /**
     * Starts a proxy for an address. All data to the clients passes at the given pace, and only a few kilobytes are in
     * flight.
     */
    CuttableProxy(InetSocketAddress target, LinkPace pace) throws IOException {
        this.target = target;
        this.pace = pace;
        this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        SocketThread.start("cuttable-proxy", this::acceptAll);
    }

    /** Returns the address to which clients connect. */
    public InetSocketAddress address() {
        return (InetSocketAddress) server.getLocalSocketAddress();
    }

    /** Cuts all connections; data in flight is lost. */
    public synchronized void cut() {
        for (Socket socket : sockets) {
            try {
                socket.setSoLinger(true, 0); // causes a reset, like the loss of a machine
                socket.close();
            } catch (IOException e) {
                // The socket is already closed.
            }
        }
        sockets.clear();
    }

    /** Forwards new connections to another address, such as that of a restarted broker. */
    public void leadTo(InetSocketAddress next) {
        target = next;
    }

    /** Cuts all connections, and cuts new ones immediately until {@link #mend} is called. */
    public synchronized void interrupt() {
        refusing = true;
        cut();
    }

    /** Cuts all connections, and accepts new ones without forwarding their data. */
    public synchronized void stopAnswering() {
        silent = true;
        cut();
    }

    /** Resumes forwarding for new connections. */
    public synchronized void mend() {
        refusing = false;
    }

    /** Returns the number of connections accepted, including those that were cut immediately. */
    public synchronized int acceptedCount() {
        return acceptedCount;
    }

    private void acceptAll() throws IOException {
        while (true) {
            Socket client = server.accept();
            Socket broker = new Socket();
            synchronized (this) {
                acceptedCount++;
                sockets.add(client);
                sockets.add(broker);
                if (refusing) {
                    cut();
                }
                if (refusing || silent) {
                    continue;
                }
            }
            SocketThread.start("cuttable-proxy", () -> connect(client, broker));
        }
    }

    private void connect(Socket client, Socket broker) throws IOException {
        try {
            client.setTcpNoDelay(true);
            broker.setTcpNoDelay(true);
            if (pace != null) {
                broker.setReceiveBufferSize(SMALL);
                client.setSendBufferSize(SMALL);
            }
            broker.connect(target);
        } catch (IOException e) {
            client.close();
            throw e;
        }
        SocketThread.start("cuttable-proxy", () -> pass(client, broker, null));
        pass(broker, client, pace);
    }

    private void pass(Socket from, Socket to, LinkPace atPace) throws IOException {
        byte[] bytes = new byte[atPace == null ? 16 * 1024 : SMALL];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int length = in.read(bytes); length >= 0; length = in.read(bytes)) {
                write(out, bytes, length, atPace);
            }
        } finally {
            synchronized (this) {
                sockets.remove(from);
                sockets.remove(to);
            }
        }
    }

    private static void write(OutputStream out, byte[] bytes, int length, LinkPace atPace) throws IOException {
        int written = 0;
        while (written < length) {
            int part = atPace == null ? length : atPace.take(length - written);
            out.write(bytes, written, part);
            written += part;
        }
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        cut();
    }
}
