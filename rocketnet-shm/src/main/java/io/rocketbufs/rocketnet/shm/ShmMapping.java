package io.rocketbufs.rocketnet.shm;

/**
 * Memory of the peer, mapped for reading or for changing its words.
 *
 * @param address address of the first byte
 * @param length length in bytes
 */
record ShmMapping(long address, long length) {
    private static final int PROT_READ = 1;
    private static final int PROT_READ_WRITE = 3;
    /**
     * Maximum length of a mapped file in bytes. Without this limit, a malicious peer could use up the address space
     * with empty files.
     */
    private static final long LONGEST = 1L << 36;
    /** Maximum length in bytes of a mapping of words, which one byte buffer covers. */
    private static final long LONGEST_WORDS = 1L << 30;

    /**
     * Maps a file if no access to it can fail later. Otherwise, returns null; the file can then be read without a
     * mapping.
     */
    static ShmMapping ofSealed(int descriptor) {
        return map(descriptor, LONGEST, PROT_READ);
    }

    /** Maps words, like {@link #ofSealed}. Also returns null if the descriptor does not permit writing. */
    static ShmMapping ofWords(int descriptor) {
        return map(descriptor, LONGEST_WORDS, PROT_READ_WRITE);
    }

    private static ShmMapping map(int descriptor, long longest, int protection) {
        if (!ShmMemory.isSealedAgainstShrinking(descriptor) || ShmMemory.hasHugePages(descriptor)) {
            return null;
        }
        long length = ShmMemory.length(descriptor);
        if (length > longest) {
            return null;
        }
        long address = ShmMemory.mmap(descriptor, length, protection);
        return address == ShmMemory.MAP_FAILED ? null : new ShmMapping(address, length);
    }

    void unmap() {
        ShmMemory.munmap(address, length);
    }
}
