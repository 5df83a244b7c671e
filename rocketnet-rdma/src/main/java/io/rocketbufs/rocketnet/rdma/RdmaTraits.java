package io.rocketbufs.rocketnet.rdma;

/**
 * The behaviour of a provider, as observed by a probe.
 *
 * @param immediateBytes number of bytes of immediate data that arrive
 * @param lengthWithArrival whether the completion of an arrival reports its length
 * @param contextWithArrival whether the completion of an arrival reports which receive it used up, and thus its
 *     connection
 * @param consumesReceive whether an arriving write uses up a receive
 */
record RdmaTraits(int immediateBytes, boolean lengthWithArrival, boolean contextWithArrival, boolean consumesReceive) {

    /** Returns true if the length is sent in the upper half of the immediate data. */
    boolean lengthInImmediate() {
        return immediateBytes >= Long.BYTES;
    }
}
