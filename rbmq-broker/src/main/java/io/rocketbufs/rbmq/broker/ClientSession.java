package io.rocketbufs.rbmq.broker;

import io.rocketbufs.Connection;
import org.slf4j.Logger;

/** The session of one connected client. */
interface ClientSession {
    /** Returns the client's connection. */
    Connection connection();

    /** Called on the worker when the connection has ended; the failure is null after a graceful close. */
    void onClosed(Throwable failure);

    /** Logs that a client has left, with the reason unless it left gracefully. This is the only place that logs it. */
    static void logLeft(Logger log, Object client, Throwable failure) {
        if (failure == null) {
            log.info("{} left", client);
        } else {
            log.warn("{} left: {}", client, failure.getMessage());
        }
    }
}
