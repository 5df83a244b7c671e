package io.rocketbufs.rbmq.broker;

import io.rocketbufs.Connection;

/** One connected client. */
interface Session {
    /** Its connection. */
    Connection connection();

    /** The connection is over; null after an orderly close. Called on its worker. */
    void onClosed(Throwable failure);

    /** For the end of a message to people. */
    static String because(Throwable failure) {
        return failure == null ? "" : ": " + failure.getMessage();
    }
}
