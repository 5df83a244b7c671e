package io.rocketbufs.memory;

import java.util.function.LongFunction;

/**
 * Where a pool's pages come from: its name, the system's page length in bytes, and how to reserve a number of bytes of
 * whole pages, which throws {@link MemoryException} with the operating system's reason.
 */
record PageSource(String kind, long pageLength, LongFunction<Pages> reserve) {
    /** Returns mmap where it works on this machine, else direct buffers, with the reason in {@link #kind()}. */
    static PageSource forThisMachine() {
        try {
            return mapped(MemoryCalls.load());
        } catch (LinkageError | MemoryException e) {
            // jffi not on the class path or without a native part for this machine, or a kernel that behaves otherwise
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

    /** Rounds up to whole pages; what exceeds a long becomes the largest number of whole pages, which no OS has. */
    long roundUp(long length) {
        long whole = length & -pageLength;
        return whole == length || whole == (Long.MAX_VALUE & -pageLength) ? whole : whole + pageLength;
    }
}
