package io.rocketbufs;

/** Is told that data has arrived. */
@FunctionalInterface
public interface DataInCallback {
    /**
     * One or more whole deliveries have arrived, in order. Called on the connection's worker; must not block. What it
     * throws closes the connection, and spliced data is then not passed on.
     *
     * @param data read-only, valid during the call; its memory stays valid until {@link RIn#dataConsumed}
     */
    void onDataIn(int bufferId, Segment data);
}
