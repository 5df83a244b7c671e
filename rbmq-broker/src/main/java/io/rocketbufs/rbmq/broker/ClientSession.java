package io.rocketbufs.rbmq.broker;

import io.rocketbufs.Connection;
import org.slf4j.Logger;

/** One connected client. */
interface ClientSession {
    /** Its connection. */
    Connection connection();

    /** Called on the worker when the connection is over; the failure is null after a graceful close. */
    void onClosed(Throwable failure);

    /** Logs that a client has left, and why unless that was graceful; nothing else logs it. */
    static void logLeft(Logger log, Object client, Throwable failure) {
        if (failure == null) {
            log.info("{} left", client);
        } else {
            log.warn("{} left: {}", client, failure.getMessage());
        }
    }
}
