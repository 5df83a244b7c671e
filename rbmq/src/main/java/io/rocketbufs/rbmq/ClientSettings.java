package io.rocketbufs.rbmq;

import io.rocketbufs.options.SlowPolicy;
import java.net.InetSocketAddress;

/**
 * How a publisher or subscriber reaches its broker, and with what buffers.
 *
 * @param transport name of the transport
 * @param host the broker's name or address
 * @param port the broker's port
 * @param name what the broker shows this client as; at most 255 bytes
 * @param token presented to the broker; empty where it asks for none; at most 255 bytes
 * @param flowControl false makes a publisher's buffers overwriting: it never waits, and who falls behind loses the
 *     oldest
 * @param publisherCapacity bytes of a publisher's buffer for one topic; its longest message is 4 bytes shorter
 * @param subscriberCapacity bytes of a subscriber's buffer for one publisher of a topic, unless the publisher's is
 *     larger
 * @param maxCapacity largest such buffer that a publisher may make necessary
 * @param slowPolicy what shall happen when this subscriber is slow; null leaves that to the broker
 * @param connectTimeoutMs how long connecting and greeting may take
 * @param drainTimeoutMs how long {@code close} waits until the broker has consumed everything
 */
public record ClientSettings(
        String transport,
        String host,
        int port,
        String name,
        String token,
        boolean flowControl,
        long publisherCapacity,
        long subscriberCapacity,
        long maxCapacity,
        SlowPolicy slowPolicy,
        long connectTimeoutMs,
        long drainTimeoutMs) {

    /** Looks the broker up. */
    public InetSocketAddress broker() {
        return new InetSocketAddress(host, port);
    }

    /** These with another broker. */
    public ClientSettings withBroker(String newHost, int newPort) {
        return new ClientSettings(
                transport,
                newHost,
                newPort,
                name,
                token,
                flowControl,
                publisherCapacity,
                subscriberCapacity,
                maxCapacity,
                slowPolicy,
                connectTimeoutMs,
                drainTimeoutMs);
    }

    /** These with another broker. */
    public ClientSettings withBroker(InetSocketAddress address) {
        return withBroker(address.getHostString(), address.getPort());
    }

    /** These over another transport. */
    public ClientSettings withTransport(String newTransport) {
        return new ClientSettings(
                newTransport,
                host,
                port,
                name,
                token,
                flowControl,
                publisherCapacity,
                subscriberCapacity,
                maxCapacity,
                slowPolicy,
                connectTimeoutMs,
                drainTimeoutMs);
    }

    /** These with another name. */
    public ClientSettings withName(String newName) {
        return new ClientSettings(
                transport,
                host,
                port,
                newName,
                token,
                flowControl,
                publisherCapacity,
                subscriberCapacity,
                maxCapacity,
                slowPolicy,
                connectTimeoutMs,
                drainTimeoutMs);
    }

    /** These with another token. */
    public ClientSettings withToken(String newToken) {
        return new ClientSettings(
                transport,
                host,
                port,
                name,
                newToken,
                flowControl,
                publisherCapacity,
                subscriberCapacity,
                maxCapacity,
                slowPolicy,
                connectTimeoutMs,
                drainTimeoutMs);
    }

    /** These with a publisher's flow control on or off. */
    public ClientSettings withFlowControl(boolean on) {
        return new ClientSettings(
                transport,
                host,
                port,
                name,
                token,
                on,
                publisherCapacity,
                subscriberCapacity,
                maxCapacity,
                slowPolicy,
                connectTimeoutMs,
                drainTimeoutMs);
    }

    /** These with other buffers. */
    public ClientSettings withCapacities(long publisher, long subscriber) {
        return new ClientSettings(
                transport,
                host,
                port,
                name,
                token,
                flowControl,
                publisher,
                subscriber,
                Math.max(maxCapacity, Math.max(publisher, subscriber)),
                slowPolicy,
                connectTimeoutMs,
                drainTimeoutMs);
    }

    /** These with another time that closing may take. */
    public ClientSettings withDrainTimeout(long timeoutMs) {
        return new ClientSettings(
                transport,
                host,
                port,
                name,
                token,
                flowControl,
                publisherCapacity,
                subscriberCapacity,
                maxCapacity,
                slowPolicy,
                connectTimeoutMs,
                timeoutMs);
    }
}
