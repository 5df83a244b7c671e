package io.rocketbufs.web;

import io.netty.channel.Channel;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The connections of a {@link PageServer} for which no page is being created. Their clients have sent no request or
 * only part of a request, or do not read the last response. When there are more connections than allowed, the
 * connection that has waited longest is closed. Therefore, clients that never complete a request cannot lock out other
 * clients.
 *
 * <p><b>Thread-safety:</b> confined to the server's only thread.
 */
final class WaitingConnections {
    private final int maxConnections;
    private final Set<Channel> waiting = new LinkedHashSet<>();
    private int openCount;

    /** Creates an instance without connections. */
    WaitingConnections(int maxConnections) {
        this.maxConnections = maxConnections;
    }

    /** Adds a new, waiting connection. If there are too many connections, closes another connection. */
    void open(Channel channel) {
        openCount++;
        if (openCount > maxConnections && !waiting.isEmpty()) {
            waiting.iterator().next().close();
        }
        waiting.add(channel);
        channel.closeFuture().addListener(closed -> {
            openCount--;
            waiting.remove(channel);
        });
    }

    /** Records that a page is being created for a connection. The connection is not closed during that time. */
    void begin(Channel channel) {
        waiting.remove(channel);
    }

    /** Records that a page has been created for a connection, which now waits again. */
    void end(Channel channel) {
        if (channel.isOpen()) {
            waiting.add(channel);
        }
    }
}
