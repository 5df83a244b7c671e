package io.rocketbufs;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The accepted connections whose peers have not sent a greeting yet. If there are too many, the oldest is closed. A
 * genuine peer sends its greeting immediately, while its connection is still among the newest, even if other peers keep
 * opening silent connections.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class UngreetedConnections {
    private final int limit;
    private final Set<Connection> oldestFirst = new LinkedHashSet<>();

    /** @param limit number of connections above which the oldest is closed */
    UngreetedConnections(int limit) {
        this.limit = limit;
    }

    /** Adds a connection, which is removed when its peer has sent a greeting or when the connection ends. */
    void add(Connection accepted) {
        Connection oldest = addAndTakeOldest(accepted);
        accepted.greeted().whenComplete((greeted, failure) -> remove(accepted));
        if (oldest != null) {
            oldest.disconnect(oldest.peer() + " sent no greeting, and more than rocketbufs.ungreeted-connections="
                    + limit + " connections are without one");
        }
    }

    /**
     * Adds a connection. If there are then too many, removes and returns the oldest connection; otherwise, returns
     * null.
     */
    private synchronized Connection addAndTakeOldest(Connection accepted) {
        oldestFirst.add(accepted);
        if (oldestFirst.size() <= limit) {
            return null;
        }
        Iterator<Connection> all = oldestFirst.iterator();
        Connection oldest = all.next();
        all.remove();
        return oldest;
    }

    private synchronized void remove(Connection connection) {
        oldestFirst.remove(connection);
    }
}
