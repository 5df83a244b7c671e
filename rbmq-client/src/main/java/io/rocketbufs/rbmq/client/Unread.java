package io.rocketbufs.rbmq.client;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;

/**
 * The events that wait after the unread bytes of a buffer while a subscription is paused: gaps, new subscriptions, and
 * the end of the buffer. All events are handled in the order in which they arrived.
 *
 * <pre>
 *        read already                      unread
 *   ----------------------+-----------------+------------+--------+
 *                      first unread     gap, then     begins     end
 *                                       begins
 * </pre>
 *
 * <p>Arithmetic only: positions are those of the buffer, and never decrease from one call to the next.
 *
 * <p><b>Thread-safety:</b> the connection's worker.
 *
 * @param <S> the type of subscriptions
 */
final class Unread<S> {
    /** Number of stops above which gaps are merged, so that a broker that reports many gaps cannot exhaust memory. */
    private static final int MAX_STOPS = 1024;

    private final Deque<Stop<S>> stops = new ArrayDeque<>(1);
    /** The subscriptions in {@link #stops}. */
    private final Collection<S> beginning = new HashSet<>(2);

    private End end;

    /**
     * A position between two messages at which something must be done before reading continues.
     *
     * @param <S> the type of subscriptions
     * @param position position of the first byte after the stop
     * @param lostLength bytes skipped at the stop, including headers; 0 if a subscription begins there
     * @param begins the subscription that receives messages from this position on; null for a gap
     */
    record Stop<S>(long position, long lostLength, S begins) {}

    /**
     * The end of the buffer.
     *
     * @param failure the failure; null if the buffer ended gracefully
     */
    record End(String failure) {}

    /** Adds a gap at the end. After many gaps, it is merged with the last one, and therefore reported early. */
    void addGap(long position, long lostLength) {
        Stop<S> last = stops.peekLast();
        if (last != null && last.begins == null && (last.position == position || stops.size() >= MAX_STOPS)) {
            stops.removeLast();
            stops.add(new Stop<>(last.position, last.lostLength + lostLength, null));
        } else {
            stops.add(new Stop<>(position, lostLength, null));
        }
    }

    /** Adds a subscription that receives the messages from a position on. */
    void addBeginning(long position, S subscription) {
        stops.add(new Stop<>(position, 0, subscription));
        beginning.add(subscription);
    }

    /** Removes a subscription that has not begun; returns false if it has begun. */
    boolean remove(S subscription) {
        return beginning.remove(subscription) && stops.removeIf(stop -> stop.begins == subscription);
    }

    /** Returns true if a subscription does not yet receive the next message. */
    boolean isBeginning(S subscription) {
        return beginning.contains(subscription);
    }

    /** Returns the first position at which reading must stop; {@link Long#MAX_VALUE} if there is none. */
    long nextPosition() {
        return stops.isEmpty() ? Long.MAX_VALUE : stops.peek().position;
    }

    /** Returns the number of bytes skipped in all gaps, including headers. */
    long lostLength() {
        return stops.stream().mapToLong(Stop::lostLength).sum();
    }

    /** Removes the first stop and returns it. */
    Stop<S> next() {
        Stop<S> next = stops.remove();
        beginning.remove(next.begins);
        return next;
    }

    /** Postpones the buffer's end until all data has been read. */
    void endLater(End newEnd) {
        end = newEnd;
    }

    /** Returns the postponed end; null if there is none. */
    End end() {
        return end;
    }
}
