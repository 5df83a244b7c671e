package io.rocketbufs.rbmq.broker;

import io.rocketbufs.Connection;
import org.slf4j.event.Level;

/** One connected client. */
interface Session {
    /** Its connection. */
    Connection connection();

    /** The connection is over; null after an orderly close. Called on its worker. */
    void onClosed(Throwable failure);

    /** How loudly the end is logged. */
    static Level level(Throwable failure) {
        return failure == null ? Level.INFO : Level.WARN;
    }

    /** For the end of a message to people. */
    static String because(Throwable failure) {
        return failure == null ? "" : ": " + failure.getMessage();
    }
}
