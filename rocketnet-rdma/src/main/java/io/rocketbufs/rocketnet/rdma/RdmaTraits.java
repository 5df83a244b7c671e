package io.rocketbufs.rocketnet.rdma;

/**
 * The behaviour of a provider, as observed by a probe.
 *
 * @param immediateBytes number of bytes of immediate data that the provider delivers
 * @param lengthWithArrival whether the completion of an arrival reports the arrival's length
 * @param contextWithArrival whether the completion of an arrival identifies the receive that was used up, and thus the
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

    /** The atomic operations of a provider: fetch-add and compare-and-swap of 8-byte words, or no operations. */
    enum Atomics {
        /** The provider supports no atomic operations. */
        NONE,
        /** The device executes them; they are not atomic with respect to the processor's atomic operations. */
        DEVICE,
        /**
         * Like DEVICE, but the provider mistakes the pointer to the expected number for the number itself. libfabric's
         * verbs provider does this in versions before 2.2.0.
         */
        DEVICE_COMPARES_POINTER,
        /** The provider executes them with the processor's atomic operations. */
        COHERENT
    }

    /** Returns a copy of these traits with different results for reads and atomic operations. */
    RdmaTraits with(boolean reads, Atomics atomics) {
        return new RdmaTraits(immediateBytes, lengthWithArrival, contextWithArrival, consumesReceive, reads, atomics);
    }

    /** Returns whether the length is sent in the upper half of the immediate data. */
    boolean lengthInImmediate() {
        return immediateBytes >= Long.BYTES;
    }

    /** Returns whether the owner of a word must change it through the device. */
    boolean needsDeviceForWords() {
        return hasAtomics() && atomics != Atomics.COHERENT;
    }

    boolean hasAtomics() {
        return atomics != Atomics.NONE;
    }
}
