package io.rocketbufs.link;

import java.util.concurrent.atomic.AtomicReference;

/**
 * The tasks of one connection that are ready to send, in the order in which they became ready.
 *
 * <p><b>Thread-safety:</b> any thread adds tasks; the other operations run under the {@link Sender}'s token. A task's
 * state ensures that the task is listed at most once.
 */
final class ReadyTasks {
    /** Tasks added but not yet collected, newest first. */
    private final AtomicReference<SendTask> added = new AtomicReference<>();

    private SendTask first;
    private SendTask last;

    /** Adds a task. The caller must have claimed the right to queue it. */
    void add(SendTask task) {
        SendTask head;
        do {
            head = added.get();
            task.next = head;
        } while (!added.compareAndSet(head, task));
    }

    /** Returns true if an added task has not been collected yet. Any thread. */
    boolean hasAdded() {
        return added.get() != null;
    }

    /** Moves the added tasks to the end of the queue, oldest first. */
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

    /** Returns the first collected task, or null if there is none. */
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
