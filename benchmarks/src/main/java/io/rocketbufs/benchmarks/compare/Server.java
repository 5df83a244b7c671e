package io.rocketbufs.benchmarks.compare;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** A broker other than RBMQ that listens on a port of the loopback interface. */
public interface Server extends Closeable {
    /** Returns the product's name and version. */
    String version() throws IOException, InterruptedException;

    /** Returns the settings that affect the results. */
    String settings();

    /**
     * Starts the server unless it is already running. Some servers need the message length, which is {@code size}
     * bytes.
     */
    void start(int size) throws IOException, InterruptedException;

    int port();

    /** Returns the processor time in seconds that the server has used. */
    double cpuSeconds();

    /** Returns a port that is currently free. */
    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
