package io.rocketbufs.rocketnet.shm;

import io.rocketbufs.rocketnet.LentWord;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportException.Code;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.BitSet;
import java.util.HashSet;
import java.util.Set;

/**
 * The words of a connection to which the peer writes. They are part of the memory through which this side receives.
 *
 * <p>Any thread may read a word at any time, even after the connection has ended, so the words have their own mapping.
 * {@link #close} replaces the pages of that mapping, and the mapping ends when no object refers to a word.
 *
 * <p><b>Thread-safety:</b> any thread may use them. <b>Ownership:</b> owns the mapping, which is created for the first
 * word.
 */
final class ShmWords {
    /** Maximum number of words that a connection can lend at the same time. */
    static final int COUNT = ShmLayout.WORDS_LENGTH / ShmLayout.WORD_SPACING;

    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final Cleaner CLEANER = Cleaner.create(task -> {
        Thread thread = new Thread(task, "rocketnet-shm-cleaner");
        thread.setDaemon(true);
        return thread;
    });
    /** The key of every access. It ensures that no access equals {@link RemoteAccess#NONE}. */
    private static final long KEY = 1;

    private final ShmMemory memory;
    private final BitSet used = new BitSet(COUNT);
    private final Set<Word> lent = new HashSet<>();
    /** The mapping of the header; null until the first word is lent. */
    private ByteBuffer header;

    private boolean closed;

    /** Creates the words of a connection that receives through the given memory. */
    ShmWords(ShmMemory memory) {
        this.memory = memory;
    }

    /**
     * Lends a word with the value 0. Returns null if all words are lent.
     *
     * @throws TransportException with code CLOSED after {@link #close}; with code RESOURCES if the words cannot be
     *     mapped
     */
    synchronized LentWord lend() {
        if (closed) {
            throw new TransportException(Code.CLOSED, "cannot lend a word: the connection is closed");
        }
        if (header == null) {
            header = map();
        }
        int index = used.nextClearBit(0);
        if (index == COUNT) {
            return null;
        }
        used.set(index);
        Word word = new Word(header, index);
        LONG.setRelease(header, word.place, 0L);
        lent.add(word);
        return word;
    }

    private ByteBuffer map() {
        try {
            long address = memory.mapHeader();
            CLEANER.register(this, () -> ShmMemory.munmap(address, ShmLayout.HEADER_LENGTH));
            return ShmCalls.view(address, ShmLayout.HEADER_LENGTH);
        } catch (ShmException e) {
            throw new TransportException(Code.RESOURCES, "cannot map the words of a connection: " + e.getMessage(), e);
        }
    }

    /**
     * Ends the peer's access. Each word that is still lent keeps the last value written by the peer. Must be called
     * before the memory is unmapped.
     */
    synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        lent.forEach(Word::keepValue);
        lent.clear();
        if (header == null) {
            return;
        }
        // A reader that sees a replaced page must also see that its word has been revoked.
        VarHandle.fullFence();
        try {
            ShmMemory.replace(ShmCalls.address(header), ShmLayout.HEADER_LENGTH);
        } catch (ShmException e) {
            // In this case, the shared memory exists until the mapping ends.
        }
    }

    private synchronized void takeBack(Word word) {
        if (lent.remove(word)) {
            word.keepValue();
            used.clear(word.index);
        }
    }

    /** Returns the offset of a word in the peer's memory. The access comes from the peer and may have any value. */
    static int place(RemoteAccess word) {
        long offset = word.address();
        boolean exists = word.key() == KEY && offset >= 0 && offset < ShmLayout.WORDS_LENGTH;
        if (!exists || offset % ShmLayout.WORD_SPACING != 0) {
            throw new ShmViolation(
                    "the peer lent a word that does not exist: offset=" + offset + ", key=" + word.key());
        }
        return ShmLayout.WORDS + (int) offset;
    }

    /** One word. */
    private final class Word implements LentWord {
        private final ByteBuffer bytes;
        private final int index;
        private final int place;
        private final RemoteAccess access;
        private volatile boolean taken;
        private long lastValue;

        Word(ByteBuffer bytes, int index) {
            this.bytes = bytes;
            this.index = index;
            this.access = new RemoteAccess((long) index * ShmLayout.WORD_SPACING, KEY);
            this.place = place(access);
        }

        @Override
        public RemoteAccess access() {
            return access;
        }

        @Override
        public long value() {
            long value = read();
            return taken ? lastValue : value;
        }

        private long read() {
            long value = (long) LONG.getAcquire(bytes, place);
            Reference.reachabilityFence(ShmWords.this); // keeps the mapping alive
            return value;
        }

        @Override
        public void takeBack() {
            ShmWords.this.takeBack(this);
        }

        private void keepValue() {
            lastValue = read();
            taken = true;
        }
    }
}
