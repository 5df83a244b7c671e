package io.rocketbufs.rocketlog.client;

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

/**
 * A TCP proxy in front of a broker, which can drop the broker's responses and close connections. It accepts new
 * connections immediately.
 */
final class LossyLink implements AutoCloseable {
    private final InetSocketAddress broker;
    private final ServerSocket listening;
    private final Set<Way> ways = ConcurrentHashMap.newKeySet();

    LossyLink(InetSocketAddress broker) throws IOException {
        this.broker = broker;
        this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        SocketThread.start("link", this::accept);
    }

    InetSocketAddress address() {
        return (InetSocketAddress) listening.getLocalSocketAddress();
    }

    /** Drops all further responses from the broker on the current connections. */
    void loseAnswers() {
        ways.forEach(way -> way.isLosing = true);
    }

    /** Closes the current connections. */
    void cut() throws IOException {
        for (Way way : ways) {
            way.close();
        }
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = listening.accept();
            SocketThread.start("link", () -> {
                try (Way way = new Way(client, new Socket(broker.getAddress(), broker.getPort()))) {
                    ways.add(way);
                    SocketThread.start("link", way::passAnswers);
                    pass(client, way.server, way);
                } finally {
                    client.close();
                }
            });
        }
    }

    private static void pass(Socket from, Socket to, Way way) throws IOException {
        InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream();
        byte[] bytes = new byte[8192];
        for (int count = in.read(bytes); count >= 0; count = in.read(bytes)) {
            if (from == way.client || !way.isLosing) {
                out.write(bytes, 0, count);
            }
        }
    }

    /** One proxied connection. */
    private final class Way implements AutoCloseable {
        private final Socket client;
        private final Socket server;
        private volatile boolean isLosing;

        private Way(Socket client, Socket server) {
            this.client = client;
            this.server = server;
        }

        private void passAnswers() throws IOException {
            try (this) {
                pass(server, client, this);
            }
        }

        @Override
        public void close() throws IOException {
            ways.remove(this);
            client.close();
            server.close();
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        cut();
    }
}
