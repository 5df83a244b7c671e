package io.rocketbufs.rbmq;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A TCP proxy for tests that can stop accepting connections while existing connections continue. */
final class Passage implements AutoCloseable {
    private final InetSocketAddress target;
    private final ServerSocket server;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final Thread accepting;

    Passage(InetSocketAddress target) throws IOException {
        this.target = target;
        this.server = new ServerSocket(0, 16, InetAddress.getByName("127.0.0.1"));
        this.accepting = start("passage-accept", this::accept);
    }

    InetSocketAddress address() {
        return new InetSocketAddress(server.getInetAddress(), server.getLocalPort());
    }

    /**
     * Refuses further connections. Waits for the accepting thread, because the operating system accepts connections
     * until that thread has left the system call.
     */
    void stopAccepting() throws IOException, InterruptedException {
        server.close();
        accepting.join();
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = opened(server.accept());
            Socket broker = opened(new Socket(target.getAddress(), target.getPort()));
            start("passage-up", () -> copy(client, broker));
            start("passage-down", () -> copy(broker, client));
        }
    }

    private Socket opened(Socket socket) {
        sockets.add(socket);
        return socket;
    }

    private static void copy(Socket from, Socket to) throws IOException {
        try (from;
                to) {
            from.getInputStream().transferTo(to.getOutputStream());
        }
    }

    @FunctionalInterface
    private interface Transfer {
        void run() throws IOException;
    }

    private static Thread start(String name, Transfer transfer) {
        Thread thread = new Thread(
                () -> {
                    try {
                        transfer.run();
                    } catch (IOException e) {
                        // One of the sockets is closed, which ends the thread.
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    @Override
    public void close() throws IOException {
        server.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
