package io.rocketbufs.link;

import java.util.concurrent.atomic.AtomicReference;

/**
 * The tasks that are ready at one connection's sending side, in the order in which they became ready.
 *
 * <p><b>Thread-safety:</b> any thread adds; the rest under the {@link Sender}'s token. A task is in here once at most,
 * which its state ensures.
 */
final class ReadyTasks {
    /** Added and not collected yet, newest first. */
    private final AtomicReference<SendTask> added = new AtomicReference<>();

    private SendTask first;
    private SendTask last;

    /** Adds a task whose right to be queued the caller has claimed. */
    void add(SendTask task) {
        SendTask head;
        do {
            head = added.get();
            task.next = head;
        } while (!added.compareAndSet(head, task));
    }

    /** Returns true when something was added that is not collected yet. Any thread. */
    boolean hasAdded() {
        return added.get() != null;
    }

    /** Moves what was added to the end of the queue, oldest first. */
    void collect() {
        if (added.get() == null) {
            return;
        }
        SendTask newest = added.getAndSet(null);
        SendTask oldest = null;
        while (newest != null) {
            SendTask older = newest.next;
            newest.next = oldest;
            oldest = newest;
            newest = older;
        }
        while (oldest != null) {
            SendTask following = oldest.next;
            append(oldest);
            oldest = following;
        }
    }

    /** Returns the first collected task, or null. */
    SendTask first() {
        return first;
    }

    void removeFirst() {
        first = first.next;
    }

    void append(SendTask task) {
        task.next = null;
        if (first == null) {
            first = task;
        } else {
            last.next = task;
        }
        last = task;
    }
}
