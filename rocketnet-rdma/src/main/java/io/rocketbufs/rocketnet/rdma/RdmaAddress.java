package io.rocketbufs.rocketnet.rdma;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** The conversion of C socket addresses to Java. */
final class RdmaAddress {
    private static final int AF_INET = 2;
    private static final int AF_INET6 = 10;
    private static final int PORT = 2;
    private static final int IPV4 = 4;
    private static final int IPV6 = 8;
    private static final int LEAST_LENGTH = IPV4 + 4;

    private RdmaAddress() {}

    /** Returns the address in a {@code struct sockaddr_in} or {@code sockaddr_in6}. */
    static InetSocketAddress of(byte[] sockaddr) {
        ByteBuffer bytes = ByteBuffer.wrap(sockaddr);
        if (sockaddr.length < LEAST_LENGTH) {
            throw new IllegalArgumentException("the address is truncated: length=" + sockaddr.length);
        }
        int family = bytes.order(ByteOrder.nativeOrder()).getShort(0);
        int port = bytes.order(ByteOrder.BIG_ENDIAN).getShort(PORT) & 0xffff;
        return switch (family) {
            case AF_INET -> new InetSocketAddress(ip(sockaddr, IPV4, 4), port);
            case AF_INET6 -> new InetSocketAddress(ip(sockaddr, IPV6, 16), port);
            default ->
                throw new IllegalArgumentException("the address family is not supported: family=" + family
                        + ", but only IPv4 (" + AF_INET + ") and IPv6 (" + AF_INET6 + ") are supported");
        };
    }

    private static InetAddress ip(byte[] sockaddr, int offset, int length) {
        try {
            return InetAddress.getByAddress(Arrays.copyOfRange(sockaddr, offset, offset + length));
        } catch (UnknownHostException e) {
            throw new AssertionError("an address of " + length + " bytes", e);
        }
    }
}
