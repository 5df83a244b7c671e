package io.rocketbufs.rocketnet.shm;

/**
 * Memory of the peer, mapped for reading.
 *
 * @param address address of the first byte
 * @param length length in bytes
 */
record ShmMapping(long address, long length) {
    private static final int PROT_READ = 1;
    /** Longer files are not mapped, because a malicious peer could use up the address space with empty ones. */
    private static final long LONGEST = 1L << 36;

    /** Maps a file if no access to it can fail later. Otherwise, returns null, and the file can still be read. */
    static ShmMapping ofSealed(int descriptor) {
        if (!ShmMemory.isSealedAgainstShrinking(descriptor) || ShmMemory.hasHugePages(descriptor)) {
            return null;
        }
        long length = ShmMemory.length(descriptor);
        if (length > LONGEST) {
            return null;
        }
        long address = ShmMemory.mmap(descriptor, length, PROT_READ);
        return address == ShmMemory.MAP_FAILED ? null : new ShmMapping(address, length);
    }

    void unmap() {
        ShmMemory.munmap(address, length);
    }
}
