package io.rocketbufs.rocketnet.rdma;

/**
 * The behaviour of a provider, as observed by a probe.
 *
 * @param immediateBytes number of bytes of immediate data that arrive
 * @param lengthWithArrival whether the completion of an arrival reports its length
 * @param contextWithArrival whether the completion of an arrival reports which receive it used up, and thus its
 *     connection
 * @param consumesReceive whether an arriving write uses up a receive
 * @param reads whether reads work
 * @param atomics the atomic operations that work
 */
record RdmaTraits(
        int immediateBytes,
        boolean lengthWithArrival,
        boolean contextWithArrival,
        boolean consumesReceive,
        boolean reads,
        Atomics atomics) {

    /** The atomic operations of a provider: fetch-add and compare-and-swap of words of 8 bytes, or none. */
    enum Atomics {
        /** There are none. */
        NONE,
        /** The device carries them out; they are not atomic with respect to the processor's. */
        DEVICE,
        /**
         * As DEVICE, and the provider takes the pointer to the expected number for the number, as libfabric's verbs
         * provider does before version 2.2.0.
         */
        DEVICE_COMPARES_POINTER,
        /** The provider carries them out with the processor's atomic operations. */
        COHERENT
    }

    /** Returns the same traits with another result of trying reads and atomic operations. */
    RdmaTraits with(boolean reads, Atomics atomics) {
        return new RdmaTraits(immediateBytes, lengthWithArrival, contextWithArrival, consumesReceive, reads, atomics);
    }

    /** Returns true if the length is sent in the upper half of the immediate data. */
    boolean lengthInImmediate() {
        return immediateBytes >= Long.BYTES;
    }

    /** Returns true if the owner of a word must let the device change it. */
    boolean needsDeviceForWords() {
        return hasAtomics() && atomics != Atomics.COHERENT;
    }

    boolean hasAtomics() {
        return atomics != Atomics.NONE;
    }
}
