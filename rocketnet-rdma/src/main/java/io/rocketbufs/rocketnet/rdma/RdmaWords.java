package io.rocketbufs.rocketnet.rdma;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.rocketnet.LentWord;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.Right;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportException.Code;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Big-endian 8-byte words to which the peer of one connection writes. They contain credit for bytes and the number of
 * the peer's receives.
 *
 * <p><b>Thread-safety:</b> any thread may use them. <b>Ownership:</b> owns the memory until {@link #close}.
 */
final class RdmaWords {
    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private final MemoryPool pool;
    private final RdmaMemory memory;
    private final List<Page> pages = new ArrayList<>();
    private final Set<Word> lent = new HashSet<>();
    private boolean closed;

    RdmaWords(MemoryPool pool, RdmaMemory memory) {
        this.pool = pool;
        this.memory = memory;
    }

    /**
     * Lends a word with the value 0.
     *
     * @throws TransportException with code CLOSED after {@link #close}
     */
    synchronized Word lend() {
        if (closed) {
            throw new TransportException(Code.CLOSED, "cannot lend a word: the connection is closed");
        }
        Word word = pageWithRoom().take();
        lent.add(word);
        return word;
    }

    private Page pageWithRoom() {
        for (Page page : pages) {
            if (page.used.cardinality() < page.count) {
                return page;
            }
        }
        Page page = new Page();
        pages.add(page);
        return page;
    }

    /**
     * Ends the peer's access and releases the memory. Each word that is still lent keeps the last value written by the
     * peer. Must be called only when no more data can arrive.
     */
    synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        lent.forEach(Word::keepValue);
        lent.clear();
        // A reader that sees reused memory must also see that its word has been taken back.
        VarHandle.fullFence();
        pages.forEach(Page::close);
    }

    private synchronized void takeBack(Word word) {
        if (lent.remove(word)) {
            word.keepValue();
            word.page.used.clear(word.index);
        }
    }

    /** A block of memory that is registered as a unit. */
    private final class Page {
        private final Region region = pool.allocate(1);
        private final int count = (int) (region.length() / Long.BYTES);
        private final ByteBuffer bytes = region.window(0, count * Long.BYTES);
        private final BitSet used = new BitSet();
        private final RdmaMemory.Registration registration;

        Page() {
            try {
                registration = memory.grant(region, 0, region.length(), Right.ONLY_WRITE);
            } catch (RuntimeException e) {
                region.release();
                throw e;
            }
        }

        Word take() {
            int index = used.nextClearBit(0);
            used.set(index);
            LONG.setOpaque(bytes, index * Long.BYTES, 0L);
            return new Word(this, index);
        }

        void close() {
            registration.close();
            region.release();
        }
    }

    /** One word. */
    final class Word implements LentWord {
        private final Page page;
        private final int index;
        private final RemoteAccess access;
        private volatile boolean taken;
        private long lastValue;

        private Word(Page page, int index) {
            this.page = page;
            this.index = index;
            this.access =
                    new RemoteAccess(page.registration.base() + (long) index * Long.BYTES, page.registration.key());
        }

        @Override
        public RemoteAccess access() {
            return access;
        }

        @Override
        public long value() {
            long value = (long) LONG.getAcquire(page.bytes, index * Long.BYTES);
            return taken ? lastValue : value;
        }

        /** Takes the word back so that it can be lent again. No write by the peer to the word may be in flight. */
        @Override
        public void takeBack() {
            RdmaWords.this.takeBack(this);
        }

        private void keepValue() {
            lastValue = (long) LONG.getAcquire(page.bytes, index * Long.BYTES);
            taken = true;
        }
    }
}
