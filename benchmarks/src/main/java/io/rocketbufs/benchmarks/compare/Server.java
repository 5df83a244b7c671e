package io.rocketbufs.benchmarks.compare;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** A broker other than RBMQ, at a port of the loopback interface. */
interface Server extends Closeable {
    /** Returns the product with its version. */
    String version() throws IOException, InterruptedException;

    /** Returns the settings that affect the results. */
    String settings();

    /** Starts it unless it is running; the size of the messages matters to some brokers. */
    void start(int size) throws IOException, InterruptedException;

    int port();

    /** Returns its processor time in seconds. */
    double cpuSeconds();

    /** Returns a port that is currently free. */
    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
