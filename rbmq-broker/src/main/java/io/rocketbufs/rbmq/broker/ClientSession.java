package io.rocketbufs.rbmq.broker;

import io.rocketbufs.Connection;
import io.rocketbufs.rocketnet.TransportException;
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
        } else if (isInternal(failure)) {
            log.error("{} left: {}", client, failure.getMessage(), failure);
        } else {
            log.warn("{} left: {}", client, failure.getMessage());
        }
    }

    /** Returns true when the failure is an error of this program, whose stack trace must be logged. */
    static boolean isInternal(Throwable failure) {
        return !(failure instanceof TransportException known) || known.isInternal();
    }
}
