package io.rocketbufs;

/** The callback invoked when data arrives. */
@FunctionalInterface
public interface DataInCallback {
    /**
     * Called when one or more whole deliveries have arrived, in order. Runs on the connection's worker; must not block.
     * Throwing an exception closes the connection; spliced data is then not passed on.
     *
     * @param data read-only, valid during the call; its memory stays valid until {@link RIn#dataConsumed}
     */
    void onDataIn(int bufferId, Segment data);
}
