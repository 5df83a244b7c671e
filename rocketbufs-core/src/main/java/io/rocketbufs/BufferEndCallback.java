package io.rocketbufs;

/**
 * The callback invoked when a subscribed buffer has ended. The received data stays readable until the application calls
 * {@link RIn#unsubscribe}.
 */
@FunctionalInterface
public interface BufferEndCallback {
    /**
     * Called on the connection's worker after all received data has been handed to the application.
     *
     * @param failure null if the sender removed the buffer or closed the connection gracefully; otherwise, the reason
     *     for the end
     */
    void onBufferEnd(int bufferId, String failure);
}
