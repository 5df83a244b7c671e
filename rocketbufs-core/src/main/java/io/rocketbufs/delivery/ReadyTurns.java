package io.rocketbufs.delivery;

import java.util.concurrent.atomic.AtomicReference;

/**
 * The turns that are ready at one connection's sending side, in the order in which they became so.
 *
 * <p><b>Thread-safety:</b> any thread adds; the rest under the {@link Sender}'s token. A turn is in here once at most,
 * which its state ensures.
 */
final class ReadyTurns {
    /** Added and not collected yet, newest first. */
    private final AtomicReference<Turn> added = new AtomicReference<>();

    private Turn first;
    private Turn last;

    /** Adds a turn whose right to be queued the caller has claimed. */
    void add(Turn turn) {
        Turn head;
        do {
            head = added.get();
            turn.next = head;
        } while (!added.compareAndSet(head, turn));
    }

    /** True when something was added that is not collected yet. Any thread. */
    boolean hasAdded() {
        return added.get() != null;
    }

    /** Moves what was added to the end of the queue, oldest first. */
    void collect() {
        if (added.get() == null) {
            return;
        }
        Turn newest = added.getAndSet(null);
        Turn oldest = null;
        while (newest != null) {
            Turn older = newest.next;
            newest.next = oldest;
            oldest = newest;
            newest = older;
        }
        while (oldest != null) {
            Turn following = oldest.next;
            append(oldest);
            oldest = following;
        }
    }

    /** The first that is collected, or null. */
    Turn first() {
        return first;
    }

    void removeFirst() {
        first = first.next;
    }

    void append(Turn turn) {
        turn.next = null;
        if (first == null) {
            first = turn;
        } else {
            last.next = turn;
        }
        last = turn;
    }
}
