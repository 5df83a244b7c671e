package io.rocketbufs.rocketnet.loopback;

import io.rocketbufs.rocketnet.LentWord;
import io.rocketbufs.rocketnet.RemoteAccess;
import java.util.HashMap;
import java.util.Map;

/**
 * The words that a connection has lent to its peer.
 *
 * <p><b>Thread-safety:</b> any thread. No write to a word occurs after its {@link LentWord#takeBack} has returned.
 * Locks are acquired in the order pipe, words.
 */
final class LoopbackWords {
    /**
     * Base of the words' addresses. It is not 0, so that a test fails if core passes on the access without its address.
     */
    private static final long ADDRESS = 0x7700_0000_0000_0000L;

    private final LoopbackConnection connection;
    private final Map<RemoteAccess, Word> lent = new HashMap<>();

    LoopbackWords(LoopbackConnection connection) {
        this.connection = connection;
    }

    synchronized LentWord lend(long key) {
        Word word = new Word(new RemoteAccess(ADDRESS + Long.BYTES * key, key));
        lent.put(word.access, word);
        return word;
    }

    /** Stores a number in a lent word. Returns the reason if this is refused; otherwise null. */
    synchronized String land(RemoteAccess access, long value) {
        Word word = lent.get(access);
        if (word == null) {
            return "no word is lent with this access: " + access;
        }
        word.value = value;
        return null;
    }

    synchronized int count() {
        return lent.size();
    }

    private synchronized boolean forget(Word word) {
        return lent.remove(word.access, word);
    }

    private final class Word implements LentWord {
        private final RemoteAccess access;
        private volatile long value;

        private Word(RemoteAccess access) {
            this.access = access;
        }

        @Override
        public RemoteAccess access() {
            return access;
        }

        @Override
        public long value() {
            return value;
        }

        @Override
        public void takeBack() {
            if (!connection.worker().inWorker() && !connection.transportIsClosed()) {
                connection.violation(
                        "a word was taken back on " + Thread.currentThread().getName());
            }
            if (!forget(this)) {
                connection.violation("a word was taken back twice: " + access);
            }
        }
    }
}
