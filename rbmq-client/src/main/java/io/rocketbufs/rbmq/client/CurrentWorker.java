package io.rocketbufs.rbmq.client;

import io.rocketbufs.Connection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * The worker on which a client runs its callbacks: that of its current connection. The next connection may have another
 * worker. Tasks never run on both at the same time.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class CurrentWorker implements Executor {
    private volatile Connection connection;

    /** Runs tasks on the worker of the first connection from now on. */
    void begin(Connection first) {
        connection = first;
    }

    /**
     * Runs a task on the current worker, after those that are waiting there. See {@link Connection#execute} for
     * exceptions, and for tasks after the end of a connection.
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
     * Runs further tasks on the worker of another connection. Waits for those that are running or waiting on the
     * previous worker, or until the new connection has ended. In the latter case, tasks may move to its worker later.
     */
    void moveTo(Connection next) {
        CompletableFuture<Void> moved = new CompletableFuture<>();
        // Not on the previous connection directly, because an earlier move may still be waiting there.
        execute(() -> {
            connection = next;
            moved.complete(null);
        });
        CompletableFuture.anyOf(moved, next.closed()).join();
    }
}
