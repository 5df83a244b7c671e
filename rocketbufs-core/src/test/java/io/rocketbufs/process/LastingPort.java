package io.rocketbufs.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports for servers that tests restart on the same port. While the server is down, no other process receives its port,
 * because they are below those that the system assigns.
 */
public final class LastingPort {
    private static final int FIRST = 20_000;
    private static final int END = 32_768;

    private LastingPort() {}

    /** Returns a port of the loopback address on which no process listens. */
    public static int find() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, END);
            if (isFree(port)) {
                return port;
            }
        }
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
