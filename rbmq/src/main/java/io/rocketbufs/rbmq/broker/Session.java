package io.rocketbufs.rbmq.broker;

import io.rocketbufs.Connection;
import org.slf4j.Logger;

/** One connected client. */
interface Session {
    /** Its connection. */
    Connection connection();

    /** The connection is over; null after an orderly close. Called on its worker. */
    void onClosed(Throwable failure);

    /** Says that a client has left: the only line about that, so it tells why, where that was not in good order. */
    static void logLeft(Logger log, String client, Throwable failure) {
        if (failure == null) {
            log.info("{} left", client);
        } else {
            log.warn("{} left: {}", client, failure.getMessage());
        }
    }
}
