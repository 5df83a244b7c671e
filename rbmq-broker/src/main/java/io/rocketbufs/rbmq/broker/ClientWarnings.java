package io.rocketbufs.rbmq.broker;

import org.slf4j.Logger;

/**
 * The logged warnings about one client, limited in number so that a client cannot fill a disk.
 *
 * <p><b>Thread-safety:</b> the connection's worker.
 */
final class ClientWarnings {
    private static final int LIMIT = 10;

    private final Logger log;
    private final String client;
    private int count;

    /** Creates a limiter of warnings about the given client. */
    ClientWarnings(Logger log, String client) {
        this.log = log;
        this.client = client;
    }

    /** Logs a warning about the client, unless the limit is reached. */
    void warn(String what) {
        if (count < LIMIT) {
            log.warn("{} {}", client, what);
        } else if (count == LIMIT) {
            log.warn("{}: further warnings are not logged", client);
        }
        count++;
    }
}
