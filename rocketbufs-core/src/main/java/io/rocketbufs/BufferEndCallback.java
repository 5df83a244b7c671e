package io.rocketbufs;

/**
 * The callback invoked when a subscribed buffer has ended. What arrived stays readable until {@link RIn#unsubscribe}.
 */
@FunctionalInterface
public interface BufferEndCallback {
    /**
     * Called on the connection's worker, after all data has been handed over.
     *
     * @param failure null when the sender removed the buffer or closed gracefully
     */
    void onBufferEnd(int bufferId, String failure);
}
