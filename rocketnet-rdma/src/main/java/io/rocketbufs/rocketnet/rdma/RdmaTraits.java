package io.rocketbufs.rocketnet.rdma;

/**
 * What a provider does, as a probe has seen it.
 *
 * @param immediateBytes bytes of immediate data that arrive
 * @param lengthWithArrival the completion of an arrival tells its length
 * @param contextWithArrival the completion of an arrival tells which receive it used up, and with that its connection
 * @param consumesReceive an arriving write uses up a receive
 */
record RdmaTraits(int immediateBytes, boolean lengthWithArrival, boolean contextWithArrival, boolean consumesReceive) {

    /** True when the length travels in the upper half of the immediate data. */
    boolean lengthInImmediate() {
        return immediateBytes >= Long.BYTES;
    }
}
