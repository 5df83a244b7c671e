package io.rocketbufs.process;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports for servers that tests restart on the same port. While a server is down, no other process can receive its port.
 * The system does not assign the port, because it is below the range of assigned ports. No other test chooses the port,
 * because a datagram socket reserves the same number, which the servers do not need for datagrams.
 */
public final class LastingPort {
    private static final int FIRST = 20_000;
    private static final int END = 32_768;

    /** The reservations, which are visible to other processes and end with this JVM. */
    private static final Queue<DatagramSocket> RESERVED = new ConcurrentLinkedQueue<>();

    private LastingPort() {}

    /** Returns a port of the loopback address on which no process is listening and which no other test has received. */
    public static int find() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, END);
            if (isReserved(port) && isFree(port)) {
                return port;
            }
        }
    }

    /** Returns true if no other test has chosen the port. In this case, reserves the port. */
    private static boolean isReserved(int port) {
        try {
            return RESERVED.add(new DatagramSocket(port, InetAddress.getLoopbackAddress()));
        } catch (SocketException e) {
            return false;
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
