package io.rocketbufs.benchmarks.compare;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** A broker other than RBMQ that listens on a port of the loopback interface. */
public interface Server extends Closeable {
    /** Returns the name and the version of the product. */
    String version() throws IOException, InterruptedException;

    /** Returns the settings that affect the results. */
    String settings();

    /**
     * Starts the server unless it is running. Some servers need to know the message length, which is {@code size}
     * bytes.
     */
    void start(int size) throws IOException, InterruptedException;

    int port();

    /** Returns the processor time that the server has used, in seconds. */
    double cpuSeconds();

    /** Returns a port that is currently free. */
    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
