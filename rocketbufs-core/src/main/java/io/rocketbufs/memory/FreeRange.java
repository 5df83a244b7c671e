package io.rocketbufs.memory;

/** A range of one slab, from address to address + length, that no region covers. */
record FreeRange(Slab slab, long address, long length) {
    long end() {
        return address + length;
    }

    /**
     * Returns true when the other begins where this ends. Slabs may be adjacent in memory, but a region lies in one
     * slab.
     */
    boolean continuesWith(FreeRange other) {
        return slab == other.slab && end() == other.address;
    }
}
