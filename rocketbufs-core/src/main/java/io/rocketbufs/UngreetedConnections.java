package io.rocketbufs;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The accepted connections whose peers have not sent a greeting yet. If there are too many, the oldest is closed: a
 * real peer sends its greeting immediately, so it is among the newest, even while others open silent connections all
 * the time.
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

    /** Adds a connection until its peer has sent a greeting, or it ends. */
    void add(Connection accepted) {
        Connection oldest = addAndTakeOldest(accepted);
        accepted.greeted().whenComplete((greeted, failure) -> remove(accepted));
        if (oldest != null) {
            oldest.disconnect(oldest.peer() + " sent no greeting, and more than rocketbufs.ungreeted-connections="
                    + limit + " connections are without one");
        }
    }

    /** Returns null when there are not too many. */
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
