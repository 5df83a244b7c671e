package io.rocketbufs.rbmq.broker;

import io.rocketbufs.Connection;
import io.rocketbufs.rocketnet.TransportException;
import org.slf4j.Logger;

/** The session of one connected client. */
interface ClientSession {
    /** Returns the client's connection. */
    Connection connection();

    /**
     * Checks on the worker that the client still has the rights it uses. Called after a reload of the configuration has
     * changed rights.
     */
    void review();

    /** Called on the worker when the connection has ended; the failure is null after a graceful close. */
    void onClosed(Throwable failure);

    /** Logs that a client has left, with the reason unless it left gracefully. No other code logs departures. */
    static void logLeft(Logger log, Object client, Throwable failure) {
        if (failure == null) {
            log.info("{} left", client);
        } else if (isInternal(failure)) {
            log.error("{} left: {}", client, failure.getMessage(), failure);
        } else {
            log.warn("{} left: {}", client, failure.getMessage());
        }
    }

    /** Disconnects a client because of a reload. Logs the reason and sends it to the client. */
    static void disconnect(Logger log, ClientSession session, Object client, String reason) {
        log.warn("{} is disconnected: {}", client, reason);
        session.connection().close(reason);
    }

    /** Returns true if the failure is an error in this program, whose stack trace must be logged. */
    static boolean isInternal(Throwable failure) {
        return !(failure instanceof TransportException known) || known.isInternal();
    }
}
