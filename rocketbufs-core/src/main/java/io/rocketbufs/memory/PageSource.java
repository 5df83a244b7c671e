package io.rocketbufs.memory;

import java.util.function.LongFunction;

/**
 * The source of a pool's pages. Consists of its name, the system's page length in bytes, and a function that reserves a
 * number of bytes in whole pages. The function throws {@link MemoryException} with the operating system's reason.
 */
record PageSource(String kind, long pageLength, LongFunction<Pages> reserve) {
    /**
     * Returns the mmap source if mmap works on this machine; otherwise, direct buffers, with the reason in
     * {@link #kind()}.
     */
    static PageSource forThisMachine() {
        try {
            return mapped(MemoryCalls.load());
        } catch (LinkageError | MemoryException e) {
            // jffi or its native part for this machine is missing, or the kernel does not behave as required.
            return direct(firstLine(e));
        }
    }

    private static PageSource mapped(MemoryCalls calls) {
        MappedPages.probe(calls);
        return new PageSource("mmap", calls.pageLength(), length -> MappedPages.reserve(calls, length));
    }

    static PageSource direct(String cause) {
        long pageLength = DirectAddress.pageLength();
        return new PageSource("direct (" + cause + ")", pageLength, length -> DirectPages.reserve(pageLength, length));
    }

    private static String firstLine(Throwable e) {
        return e.toString().lines().findFirst().orElseThrow();
    }

    /**
     * Rounds up to whole pages. If the result would overflow, returns the largest multiple of the page length. No
     * system can reserve this length.
     */
    long roundUp(long length) {
        long whole = length & -pageLength;
        return whole == length || whole == (Long.MAX_VALUE & -pageLength) ? whole : whole + pageLength;
    }
}
