package io.rocketbufs.benchmarks.compare;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** A broker other than RBMQ, at a port of the loopback interface. */
interface Server extends Closeable {
    /** What it is, with its version. */
    String version() throws IOException, InterruptedException;

    /** The settings that matter. */
    String settings();

    /** Starts it, unless it runs; for messages of this size, where that matters. */
    void start(int size) throws IOException, InterruptedException;

    int port();

    /** Processor time that it has used, in seconds. */
    double cpuSeconds();

    /** Returns a port that is currently free. */
    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
