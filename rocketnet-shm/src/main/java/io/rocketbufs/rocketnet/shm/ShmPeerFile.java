package io.rocketbufs.rocketnet.shm;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;

/**
 * A file of the peer that this side reads, or memory whose words it changes too.
 *
 * <p>Memory that is sealed against shrinking is mapped, so reading it is a copy. Mapping any other file would be
 * dangerous, because accessing a part beyond the end of a shortened file crashes the process with SIGBUS. Such a file
 * is read with pread, and bytes beyond its end read as zero.
 *
 * <p><b>Thread-safety:</b> any thread. <b>Ownership:</b> owns the descriptor or the mapping, until {@link #end} has
 * been called and no operation is in progress.
 */
final class ShmPeerFile {
    /** Bytes copied at a time; the JVM can stop a thread only between two copies. */
    private static final int COPY_LENGTH = 1 << 20;
    /** The bit in the number of uses that prevents further uses. */
    private static final int ENDED = Integer.MIN_VALUE;

    private static final int NO_DESCRIPTOR = -1;
    private static final ShmCalls PREAD = ShmCalls.of("pread");
    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final int descriptor;
    private final ShmMapping mapping;
    /** The mapping if this side may change its words; otherwise null. */
    private final ByteBuffer words;
    /** Number of operations in progress, and the bit {@link #ENDED}. */
    private final AtomicInteger uses = new AtomicInteger();

    private ShmPeerFile(int descriptor, ShmMapping mapping, ByteBuffer words) {
        this.descriptor = descriptor;
        this.mapping = mapping;
        this.words = words;
    }

    /** Takes ownership of a descriptor that the peer has chosen: anything from sealed memory to a directory. */
    static ShmPeerFile of(int descriptor) {
        ShmMapping mapping = ShmMapping.ofSealed(descriptor);
        if (mapping == null) {
            return new ShmPeerFile(descriptor, null, null);
        }
        ShmSocket.closeDescriptor(descriptor);
        return new ShmPeerFile(NO_DESCRIPTOR, mapping, null);
    }

    /** Takes over a descriptor of memory for words. Returns null, and closes it, if it cannot be mapped safely. */
    static ShmPeerFile ofWords(int descriptor) {
        ShmMapping mapping = ShmMapping.ofWords(descriptor);
        ShmSocket.closeDescriptor(descriptor);
        return mapping == null
                ? null
                : new ShmPeerFile(NO_DESCRIPTOR, mapping, ShmCalls.view(mapping.address(), (int) mapping.length()));
    }

    /** Returns false once the peer has withdrawn the file, or the connection has ended. */
    boolean isReadable() {
        return uses.get() >= 0;
    }

    /** Returns true if this side can change words, until the peer has withdrawn them or the connection has ended. */
    boolean hasWords() {
        return words != null && isReadable();
    }

    /**
     * Adds to a word. Returns false, and changes nothing, if there is no word at this place, or no longer.
     *
     * @param before called with the number before the addition; must not throw
     */
    boolean fetchAdd(long offset, long addend, LongConsumer before) {
        if (!isWord(offset) || !begin()) {
            return false;
        }
        long number;
        try {
            number = (long) LONG.getAndAdd(words, (int) offset, addend);
        } finally {
            finish();
        }
        before.accept(number);
        return true;
    }

    /** Sets a word to {@code desired} if it is {@code expected}; otherwise like {@link #fetchAdd}. */
    boolean compareSwap(long offset, long expected, long desired, LongConsumer before) {
        if (!isWord(offset) || !begin()) {
            return false;
        }
        long number;
        try {
            number = (long) LONG.compareAndExchange(words, (int) offset, expected, desired);
        } finally {
            finish();
        }
        before.accept(number);
        return true;
    }

    private boolean isWord(long offset) {
        return words != null && offset >= 0 && offset % Long.BYTES == 0 && offset <= words.capacity() - Long.BYTES;
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
            finish();
        }
    }

    private boolean begin() {
        int now = uses.get();
        while (now >= 0 && !uses.compareAndSet(now, now + 1)) {
            now = uses.get();
        }
        return now >= 0;
    }

    private void finish() {
        if (uses.decrementAndGet() == ENDED) {
            free();
        }
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

    /** Refuses further operations, and frees the file once none is in progress. Must be called once. */
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
