package io.rocketbufs.rbmq.broker;

import org.slf4j.Logger;

/**
 * What there is to say against one client, for the log: a few times, for a client must not be able to fill a disk.
 *
 * <p><b>Thread-safety:</b> the connection's worker.
 */
final class Complaints {
    private static final int LIMIT = 10;

    private final Logger log;
    private final String client;
    private int count;

    /** Makes none yet. */
    Complaints(Logger log, String client) {
        this.log = log;
        this.client = client;
    }

    /** Says what the client did. */
    void say(String what) {
        if (count < LIMIT) {
            log.warn("{} {}", client, what);
        } else if (count == LIMIT) {
            log.warn("{} goes on like that, which is not logged any more", client);
        }
        count++;
    }
}
