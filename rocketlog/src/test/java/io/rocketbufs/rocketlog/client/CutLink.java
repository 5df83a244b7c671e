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

/** The way to a server over TCP, on which all connections can be cut. New ones are possible at once. */
final class CutLink implements AutoCloseable {
    private final InetSocketAddress server;
    private final ServerSocket listening;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

    CutLink(InetSocketAddress server) throws IOException {
        this.server = server;
        this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        SocketThread.start("link", this::accept);
    }

    InetSocketAddress address() {
        return (InetSocketAddress) listening.getLocalSocketAddress();
    }

    void cut() throws IOException {
        for (Socket socket : sockets) {
            sockets.remove(socket);
            socket.close();
        }
    }

    private void accept() throws IOException {
        while (true) {
            Socket in = listening.accept();
            Socket out = new Socket(server.getAddress(), server.getPort());
            sockets.add(in);
            sockets.add(out);
            SocketThread.start("link", () -> pass(in, out));
            SocketThread.start("link", () -> pass(out, in));
        }
    }

    private static void pass(Socket from, Socket to) throws IOException {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] bytes = new byte[8192];
            for (int count = in.read(bytes); count >= 0; count = in.read(bytes)) {
                out.write(bytes, 0, count);
            }
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        cut();
    }
}
