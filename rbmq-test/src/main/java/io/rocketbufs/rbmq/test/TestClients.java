package io.rocketbufs.rbmq.test;

import io.rocketbufs.rbmq.client.ClientOptions;
import io.rocketbufs.rbmq.client.RbmqClient;
import java.util.ArrayList;
import java.util.List;

/**
 * The clients of one test, or those that the tests of a class share.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class TestClients implements AutoCloseable {
    /** The longest wait for handlers, one of which may be blocked. */
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

    /** Fails if a handler threw or messages were lost since the last call. */
    void check() {
        settle();
        incidents.check();
    }

    /** Waits until the handlers that run now have returned, because their failures belong to the test that ends. */
    private synchronized void settle() {
        for (RbmqClient client : clients) {
            if (!client.closed().isDone()) {
                client.rocketBufs().unresponsiveWorkers(SETTLE_MS);
            }
        }
    }

    /**
     * Closes the clients, the newest first; no handler is called after that. If one cannot be closed, closes the others
     * and then throws its exception. Idempotent.
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
