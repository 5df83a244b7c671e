package io.rocketbufs.link;

import java.util.concurrent.atomic.AtomicReference;

/**
 * The tasks of one connection that have been asked to release memory ({@link SendTask#relieve}).
 *
 * <p><b>Thread-safety:</b> any thread adds tasks; the other operations run under the {@link Sender}'s token.
 */
final class ReliefRequests {
    private final AtomicReference<SendTask> added = new AtomicReference<>();
    /** Tasks that have been asked once and must be asked again. */
    private SendTask waiting;

    /** Adds a task, unless it is already waiting. */
    void add(SendTask task) {
        if (task.requestRelief()) {
            SendTask head;
            do {
                head = added.get();
                task.nextToRelieve = head;
            } while (!added.compareAndSet(head, task));
        }
    }

    /** Returns true if no task is waiting to be asked. */
    boolean isEmpty() {
        return added.get() == null && waiting == null;
    }

    /**
     * Asks every task to release memory. If {@link SendTask#relieve} returns false, the next call asks the task again.
     */
    void serve() {
        SendTask before = waiting;
        waiting = null;
        serve(before);
        serve(added.getAndSet(null));
    }

    private void serve(SendTask list) {
        SendTask task = list;
        while (task != null) {
            SendTask following = task.nextToRelieve;
            // Clear the request first, so that a request that arrives while the task releases memory is not lost.
            task.reliefBegins();
            if (!task.relieve() && task.requestRelief()) {
                task.nextToRelieve = waiting;
                waiting = task;
            }
            task = following;
        }
    }
}
