package io.rocketbufs.rbmq.client;

import io.rocketbufs.rocketnet.TransportException;

/**
 * A callback for the loss and replacement of a connection. Called on the connection's worker; at most one callback of a
 * connection is called at a time. Must not block. If it throws an exception, the exception is logged. Never called if
 * {@link ReconnectSettings#enabled()} is false.
 */
public interface ReconnectCallback {
    /**
     * Called when the connection has been lost, and after each failed attempt to replace it. Not called if no further
     * attempt follows; the future returned by {@code closed()} then fails with the cause.
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
     * @param why the reason why the transport of the lost connection is not used again
     */
    default void onFallback(String former, String transport, String why) {}

    /**
     * Called when a broker has accepted the client again, after {@link #onFallback} and before anything else happens on
     * the new connection.
     *
     * @param broker the broker's address
     * @param isSame true if this is the broker of the lost connection, and it has not been restarted
     */
    default void onReconnected(String broker, boolean isSame) {}
}
