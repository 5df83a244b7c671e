package io.rocketbufs.memory;

/** A free range of one slab, from address to address + length. */
record FreeRange(Slab slab, long address, long length) {
    long end() {
        return address + length;
    }

    /**
     * Returns true if the other range starts where this one ends and belongs to the same slab. Slabs may be adjacent in
     * memory, but a region must be within one slab.
     */
    boolean continuesWith(FreeRange other) {
        return slab == other.slab && end() == other.address;
    }
}
