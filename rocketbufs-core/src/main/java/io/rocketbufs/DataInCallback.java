package io.rocketbufs;

/** The callback invoked when data arrives. */
@FunctionalInterface
public interface DataInCallback {
    /**
     * Called when one or more whole deliveries have arrived, in order. Runs on the connection's worker; must not block.
     * Throwing an exception closes the connection; if the buffer is spliced, its subscribers do not receive the data.
     *
     * @param data a read-only view, valid only during the call; its memory stays valid until {@link RIn#dataConsumed}
     *     is called
     */
    void onDataIn(int bufferId, Segment data);
}
