package io.rocketbufs.web;

import io.netty.channel.Channel;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The connections of a {@link PageServer} for which no page is being created: they have sent no request, only a part of
 * one, or do not read the last response. When there are more connections than allowed, the one that has waited longest
 * is closed. So clients that never complete a request cannot keep others away.
 *
 * <p><b>Thread-safety:</b> the server's only thread.
 */
final class WaitingConnections {
    private final int maxConnections;
    private final Set<Channel> waiting = new LinkedHashSet<>();
    private int openCount;

    /** Creates an instance without connections. */
    WaitingConnections(int maxConnections) {
        this.maxConnections = maxConnections;
    }

    /** Adds a new connection, which waits. Closes another one if there are too many. */
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

    /** Records that a page is being created for a connection, which is not closed meanwhile. */
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
