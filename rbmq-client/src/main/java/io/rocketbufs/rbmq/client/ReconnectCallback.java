package io.rocketbufs.rbmq.client;

import io.rocketbufs.rocketnet.TransportException;

/**
 * A callback for the loss of a connection and its replacement. Called on the worker of the connection, one call at a
 * time with the other callbacks of that connection; must not block. An exception that it throws is logged. Never called
 * if {@link ReconnectSettings#enabled()} is false.
 */
public interface ReconnectCallback {
    /**
     * Called when the connection has been lost, and after each failed attempt to replace it. Not called if no further
     * attempt follows; the future that {@code closed()} returns then fails with the cause.
     *
     * @param nextAttemptMs time until the next attempt, in milliseconds
     */
    default void onDisconnected(TransportException cause, long nextAttemptMs) {}

    /**
     * Called before {@link #onReconnected} when the new connection uses a worse transport than the lost one. Never
     * called unless the client selects its transport automatically ({@code rocketbufs.transport = auto}).
     *
     * @param former name of the transport of the lost connection
     * @param transport name of the transport of the new connection
     * @param why the reason for not using the transport of the lost connection
     */
    default void onFallback(String former, String transport, String why) {}

    /**
     * Called when a broker has accepted the client again, after {@link #onFallback} and before anything else happens on
     * the new connection.
     *
     * @param broker the broker's address
     * @param isSame true if it is the broker of the lost connection, and has not been restarted
     */
    default void onReconnected(String broker, boolean isSame) {}
}
