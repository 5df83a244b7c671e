package io.rocketbufs.options;

import io.rocketbufs.rocketnet.TransportException;

/** Receives the events of a peer's memory, on the worker of its connection. Must not block. */
public interface RemoteMemoryCallback {
    /**
     * Called when a read or an atomic operation has completed, in the order of posting.
     *
     * @param context the value that the operation was posted with
     * @param value number of bytes read, or the number that the word contained before the atomic operation
     */
    void onCompleted(long context, long value);

    /**
     * Called when there is room again after a result of {@link Posted#NO_WINDOW}. Spurious calls are allowed. Not
     * called once the memory can no longer be used.
     */
    default void onSpace() {}

    /**
     * Called when the owner revokes the memory. Further operations are not accepted. Those that have been accepted
     * still complete, and the owner is then told that the memory is no longer used.
     */
    default void onRevoked() {}

    /**
     * Called for a read or an atomic operation that has not completed when the connection ends. The operation may have
     * taken place, but its local memory is no longer in use.
     */
    default void onFailed(long context, TransportException cause) {}
}
