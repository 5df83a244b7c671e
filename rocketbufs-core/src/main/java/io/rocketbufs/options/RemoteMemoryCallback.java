package io.rocketbufs.options;

import io.rocketbufs.rocketnet.TransportException;

/** The callback that receives the events of a peer's memory. Runs on the connection's worker; must not block. */
public interface RemoteMemoryCallback {
    /**
     * Called when a read or an atomic operation has completed. Operations on the same memory complete in the order of
     * posting; operations on different memory may complete in any order.
     *
     * @param context the value with which the operation was posted
     * @param value number of bytes read, or the word's value before the atomic operation
     */
    void onCompleted(long context, long value);

    /**
     * Called when operations can be posted again after a result of {@link Posted#NO_WINDOW}. Spurious calls are
     * possible. Not called once the memory can no longer be used.
     */
    default void onSpace() {}

    /**
     * Called when the owner revokes the memory. Further operations are not accepted. Operations that have been accepted
     * still complete, and the owner is then notified that the memory is no longer in use.
     */
    default void onRevoked() {}

    /**
     * Called for a read or an atomic operation that has not completed when the connection ends. The operation may have
     * been executed, but its local memory is no longer in use.
     */
    default void onFailed(long context, TransportException cause) {}
}
