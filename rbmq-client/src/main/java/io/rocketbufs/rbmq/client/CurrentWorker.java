package io.rocketbufs.rbmq.client;

import io.rocketbufs.Connection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * The worker on which a client runs its callbacks, which is the worker of its current connection. The next connection
 * may have a different worker. Tasks never run on both at the same time.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class CurrentWorker implements Executor {
    private volatile Connection connection;

    /** Starts to run tasks on the worker of the first connection. */
    void begin(Connection first) {
        connection = first;
    }

    /**
     * Runs a task on the current worker, after the tasks that are already waiting there. {@link Connection#execute}
     * describes exceptions, and tasks after the end of a connection.
     */
    @Override
    public void execute(Runnable task) {
        Connection to = connection;
        to.execute(() -> {
            if (to == connection) {
                task.run();
            } else {
                execute(task);
            }
        });
    }

    /**
     * Moves to the worker of another connection, on which further tasks then run. Waits until the tasks running or
     * waiting on the previous worker have finished, or until the new connection has ended. In the latter case, tasks
     * may move to the new connection's worker later.
     */
    void moveTo(Connection next) {
        CompletableFuture<Void> moved = new CompletableFuture<>();
        // Does not use the previous connection directly, because an earlier move may still be waiting there.
        execute(() -> {
            connection = next;
            moved.complete(null);
        });
        CompletableFuture.anyOf(moved, next.closed()).join();
    }
}
