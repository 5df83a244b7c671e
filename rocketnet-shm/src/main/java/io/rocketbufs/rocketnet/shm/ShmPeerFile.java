package io.rocketbufs.rocketnet.shm;

import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A file of the peer that this side reads.
 *
 * <p>Memory that is sealed against shrinking is mapped, so reading it is a copy. Mapping any other file would be
 * dangerous, because accessing a part beyond the end of a shortened file crashes the process with SIGBUS. Such a file
 * is read with pread, and bytes beyond its end read as zero.
 *
 * <p><b>Thread-safety:</b> any thread. <b>Ownership:</b> owns the descriptor or the mapping, until {@link #end} has
 * been called and no read is in progress.
 */
final class ShmPeerFile {
    /** Bytes copied at a time; the JVM can stop a thread only between two copies. */
    private static final int COPY_LENGTH = 1 << 20;
    /** The bit in the number of uses that prevents further uses. */
    private static final int ENDED = Integer.MIN_VALUE;

    private static final int NO_DESCRIPTOR = -1;
    private static final ShmCalls PREAD = ShmCalls.of("pread");

    private final int descriptor;
    private final ShmMapping mapping;
    /** Number of reads in progress, and the bit {@link #ENDED}. */
    private final AtomicInteger uses = new AtomicInteger();

    private ShmPeerFile(int descriptor, ShmMapping mapping) {
        this.descriptor = descriptor;
        this.mapping = mapping;
    }

    /** Takes ownership of a descriptor that the peer has chosen: anything from sealed memory to a directory. */
    static ShmPeerFile of(int descriptor) {
        ShmMapping mapping = ShmMapping.ofSealed(descriptor);
        if (mapping == null) {
            return new ShmPeerFile(descriptor, null);
        }
        ShmSocket.closeDescriptor(descriptor);
        return new ShmPeerFile(NO_DESCRIPTOR, mapping);
    }

    /** Returns false once the peer has withdrawn the file, or the connection has ended. */
    boolean isReadable() {
        return uses.get() >= 0;
    }

    /**
     * Copies bytes of the file to an address. Returns false if the file has ended, or cannot be read there; the
     * destination is then undefined.
     */
    boolean read(long offset, long to, int length) {
        if (!begin()) {
            return false;
        }
        try {
            return mapping == null ? readFile(offset, to, length) : copy(offset, to, length);
        } finally {
            // Later reads are not older.
            VarHandle.acquireFence();
            if (uses.decrementAndGet() == ENDED) {
                free();
            }
        }
    }

    private boolean begin() {
        int now = uses.get();
        while (now >= 0 && !uses.compareAndSet(now, now + 1)) {
            now = uses.get();
        }
        return now >= 0;
    }

    private boolean copy(long offset, long to, int length) {
        if (offset < 0 || offset > mapping.length() - length) {
            return false;
        }
        for (int done = 0; done < length; done += COPY_LENGTH) {
            ShmCalls.copy(mapping.address() + offset + done, to + done, Math.min(COPY_LENGTH, length - done));
        }
        return true;
    }

    private boolean readFile(long offset, long to, int length) {
        int done = 0;
        while (done < length) {
            long count = PREAD.call(descriptor, to + done, length - done, offset + done);
            if (count < 0 && ShmCalls.errno() != ShmCalls.EINTR) {
                return false;
            }
            if (count == 0) {
                ShmCalls.clear(to + done, length - done);
                return true;
            }
            done += (int) Math.max(0, count);
        }
        return true;
    }

    /** Refuses further reads, and frees the file once no read is in progress. Must be called once. */
    void end() {
        if (uses.getAndUpdate(count -> count | ENDED) == 0) {
            free();
        }
    }

    private void free() {
        if (mapping != null) {
            mapping.unmap();
        }
        ShmSocket.closeDescriptor(descriptor);
    }
}
