package io.rocketbufs;

/** The callback invoked when this subscriber has missed data because it was too slow or joined too late. */
@FunctionalInterface
public interface GapCallback {
    /**
     * Called on the connection's worker, in order with the data.
     *
     * @param position position of the gap in the received data
     * @param lostLength number of bytes that were skipped
     */
    void onGap(int bufferId, long position, long lostLength);
}
