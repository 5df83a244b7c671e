package io.rocketbufs;

/** Is told that a subscribed buffer has ended; what arrived stays readable until it is unsubscribed. */
@FunctionalInterface
public interface BufferEndCallback {
    /**
     * Called on the connection's worker, after all data.
     *
     * @param failure null when the sender removed the buffer or closed in good order
     */
    void onBufferEnd(int bufferId, String failure);
}
