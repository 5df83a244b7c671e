package io.rocketbufs.rbmq.test;

import io.rocketbufs.rbmq.client.ClientOptions;
import io.rocketbufs.rbmq.client.RbmqClient;
import java.util.ArrayList;
import java.util.List;

/**
 * The clients of one test, or the clients shared by the tests of a class.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class TestClients implements AutoCloseable {
    /** Maximum time to wait for handlers, because a handler may be blocked. */
    private static final long SETTLE_MS = 1000;

    private final ClientOptions options;
    private final Incidents incidents;
    private final List<RbmqClient> clients = new ArrayList<>();

    TestClients(ClientOptions options, Incidents incidents) {
        this.options = options.withCallback(incidents);
        this.incidents = incidents;
    }

    ClientOptions options() {
        return options;
    }

    synchronized RbmqClient connect() {
        RbmqClient client = RbmqClient.connect(options);
        clients.add(client);
        return client;
    }

    /** Fails if a handler has thrown or messages have been lost since the last call. */
    void check() {
        settle();
        incidents.check();
    }

    /** Waits until the handlers now running have returned, because their failures belong to the test that is ending. */
    private synchronized void settle() {
        for (RbmqClient client : clients) {
            if (!client.closed().isDone()) {
                client.rocketBufs().unresponsiveWorkers(SETTLE_MS);
            }
        }
    }

    /**
     * Closes the clients, the newest first. No handler is called after that. If a client cannot be closed, closes the
     * other clients and then throws the exception. Idempotent.
     */
    @Override
    public synchronized void close() {
        RuntimeException failure = null;
        while (!clients.isEmpty()) {
            try {
                clients.remove(clients.size() - 1).close();
            } catch (RuntimeException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
