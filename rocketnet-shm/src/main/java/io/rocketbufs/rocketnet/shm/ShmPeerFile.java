package io.rocketbufs.rocketnet.shm;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;

/**
 * A file of the peer that this side reads, or shared memory whose words this side also changes.
 *
 * <p>Memory that is sealed against shrinking is mapped, so reading it is a copy. Mapping any other file would be
 * dangerous, because an access beyond the end of a shortened file crashes the process with SIGBUS. Other files are
 * therefore read with pread; bytes beyond the end are read as zero.
 *
 * <p><b>Thread-safety:</b> any thread may use it. <b>Ownership:</b> owns the descriptor or the mapping until
 * {@link #end} has been called and no operation is in progress.
 */
final class ShmPeerFile {
    /** Number of bytes copied at a time. The JVM can stop a thread only between two copies. */
    private static final int COPY_LENGTH = 1 << 20;
    /** The bit in {@link #uses} that prevents further operations. */
    private static final int ENDED = Integer.MIN_VALUE;

    private static final int NO_DESCRIPTOR = -1;
    private static final ShmCalls PREAD = ShmCalls.of("pread");
    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final int descriptor;
    private final ShmMapping mapping;
    /** The mapping if this side may change words in it; otherwise null. */
    private final ByteBuffer words;
    /** Number of operations in progress, and the bit {@link #ENDED}. */
    private final AtomicInteger uses = new AtomicInteger();

    private ShmPeerFile(int descriptor, ShmMapping mapping, ByteBuffer words) {
        this.descriptor = descriptor;
        this.mapping = mapping;
        this.words = words;
    }

    /**
     * Takes ownership of a descriptor chosen by the peer. The descriptor may refer to anything from sealed memory to a
     * directory.
     */
    static ShmPeerFile of(int descriptor) {
        ShmMapping mapping = ShmMapping.ofSealed(descriptor);
        if (mapping == null) {
            return new ShmPeerFile(descriptor, null, null);
        }
        ShmSocket.closeDescriptor(descriptor);
        return new ShmPeerFile(NO_DESCRIPTOR, mapping, null);
    }

    /**
     * Takes ownership of a descriptor of memory for words. If the memory cannot be mapped safely, closes the descriptor
     * and returns null.
     */
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

    /**
     * Returns whether this side can change words. Returns false once the peer has withdrawn the words or the connection
     * has ended.
     */
    boolean hasWords() {
        return words != null && isReadable();
    }

    /**
     * Adds to a word. Changes nothing and returns false if there is no word at this offset, or if the words are no
     * longer accessible.
     *
     * @param before called with the word's value before the addition; must not throw
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

    /**
     * Sets a word to {@code desired} if its value is {@code expected}. Apart from that, behaves like {@link #fetchAdd}.
     */
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
     * Copies bytes of the file to an address. Returns false if the file is no longer accessible or cannot be read at
     * this offset; the contents of the destination are then undefined.
     */
    boolean read(long offset, long to, int length) {
        if (!begin()) {
            return false;
        }
        try {
            return mapping == null ? readFile(offset, to, length) : copy(offset, to, length);
        } finally {
            // Later reads must not return older data.
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

    /** Refuses further operations, and frees the file once no operation is in progress. Must be called exactly once. */
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
