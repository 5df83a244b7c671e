package io.rocketbufs;

/** Is told that data was left out, because this subscriber was too slow or came too late. */
@FunctionalInterface
public interface GapCallback {
    /**
     * Called on the connection's worker, in order with the data.
     *
     * @param position where in the received data the gap lies
     * @param lostLength bytes that were left out
     */
    void onGap(int bufferId, long position, long lostLength);
}
