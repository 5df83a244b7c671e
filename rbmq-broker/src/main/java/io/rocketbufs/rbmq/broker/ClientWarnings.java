package io.rocketbufs.rbmq.broker;

import org.slf4j.Logger;

/**
 * Warnings about one client in the log: a limited number, because a client must not be able to fill a disk.
 *
 * <p><b>Thread-safety:</b> the connection's worker.
 */
final class ClientWarnings {
    private static final int LIMIT = 10;

    private final Logger log;
    private final String client;
    private int count;

    /** Starts without a warning. */
    ClientWarnings(Logger log, String client) {
        this.log = log;
        this.client = client;
    }

    /** Logs what the client did, unless that has happened too often. */
    void warn(String what) {
        if (count < LIMIT) {
            log.warn("{} {}", client, what);
        } else if (count == LIMIT) {
            log.warn("{}: further warnings are not logged", client);
        }
        count++;
    }
}
