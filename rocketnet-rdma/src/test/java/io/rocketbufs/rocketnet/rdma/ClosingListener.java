package io.rocketbufs.rocketnet.rdma;

import io.rocketbufs.rocketnet.TransportListener;
import io.rocketbufs.rocketnet.Worker;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A program that closes listeners with accepted connections and unread requests. It runs in a separate process, because
 * the provider may crash the process.
 */
final class ClosingListener implements AutoCloseable {
    static final String ALIVE = "closed all listeners";

    private static final int LISTENERS = 20;
    private static final int CONNECTIONS = 4;

    private final RdmaEnds ends = new RdmaEnds("num-threads = 0");
    private final Worker monitor = ends.transport.workers().get(0);
    private final byte[] request;

    private ClosingListener() throws Exception {
        request = recordedRequest();
        try (Socket replayed = ends.connectRaw()) {
            replayed.getOutputStream().write(request);
            ends.accepted(0);
        }
    }

    /** Returns the first bytes sent by a connecting endpoint, so that they can be replayed later. */
    private byte[] recordedRequest() throws Exception {
        try (ServerSocket recorder = new ServerSocket()) {
            recorder.bind(RdmaEnds.loopback(0));
            CompletableFuture<?> refused =
                    ends.transport.connect((InetSocketAddress) recorder.getLocalSocketAddress(), connection -> {
                        throw new AssertionError("the recorder accepted a connection");
                    });
            byte[] recorded;
            try (Socket accepted = recorder.accept()) {
                InputStream in = accepted.getInputStream();
                byte[] first = {(byte) in.read()};
                byte[] rest = in.readNBytes(in.available());
                recorded = new byte[1 + rest.length];
                recorded[0] = first[0];
                System.arraycopy(rest, 0, recorded, 1, rest.length);
            }
            refused.exceptionally(e -> null).get(60, TimeUnit.SECONDS);
            return recorded;
        }
    }

    private void closeOne() throws Exception {
        TransportListener listener = ends.listen(RdmaEnds.loopback(0));
        List<Socket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < CONNECTIONS; i++) {
                sockets.add(new Socket(
                        listener.address().getAddress(), listener.address().getPort()));
            }
            // This connection is requested last, so all others have been accepted when it is established.
            ends.connect(listener.address());
            CompletableFuture.runAsync(() -> requestAndClose(sockets, listener), monitor)
                    .get(60, TimeUnit.SECONDS);
            // The monitor reads the arrivals.
            ends.connect();
            ends.connect();
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    /**
     * Sends requests and closes the listener. Runs on the monitor, so that no request is read before the listener is
     * closed.
     */
    private void requestAndClose(List<Socket> sockets, TransportListener listener) {
        try {
            for (Socket socket : sockets) {
                socket.getOutputStream().write(request);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        listener.close();
    }

    @Override
    public void close() {
        ends.close();
    }

    public static void main(String[] arguments) throws Exception {
        try (ClosingListener closing = new ClosingListener()) {
            for (int i = 0; i < LISTENERS; i++) {
                closing.closeOne();
            }
        }
        System.out.println(ALIVE);
    }
}
