package io.rocketbufs.rocketlog.protocol;

import java.nio.ByteBuffer;

/**
 * The layout of the messages about leases, after the common header, which {@link LogMessageLayout} describes:
 *
 * <pre>
 *  ACQUIRE    int32 buffer id of the producer, int32 partition, int32 mode of the lease, int64 producer id of the
 *             batches that will be written
 *  ACQUIRED   32 bytes grant of the memory after the partition's last batch; in SHARED mode, 32 bytes grant of the
 *             order word
 * </pre>
 *
 * <p><i>Thread-safety:</i> stateless.
 */
public final class LeaseMessageLayout {
    private static final int BODY = LogMessageLayout.BODY;
    private static final int GRANT_LENGTH = LogMessageLayout.GRANT_LENGTH;
    private static final int WORD = BODY + GRANT_LENGTH;
    private static final int PARTITION = BODY + Integer.BYTES;
    private static final int LEASE_MODE = PARTITION + Integer.BYTES;
    private static final int LEASE_PRODUCER = LEASE_MODE + Integer.BYTES;

    private LeaseMessageLayout() {}

    /** Returns an ACQUIRE message. */
    public static ByteBuffer acquire(int correlation, int bufferId, int partition, LeaseMode mode, long producerId) {
        return LogMessageLayout.begin(LogMessageType.ACQUIRE, correlation, 3 * Integer.BYTES + Long.BYTES)
                .putInt(bufferId)
                .putInt(partition)
                .putInt(mode.code())
                .putLong(producerId)
                .flip();
    }

    /** Returns the buffer id in an ACQUIRE message. */
    public static int bufferId(ByteBuffer acquire) {
        return LogMessageLayout.at(acquire, BODY, Integer.BYTES).getInt();
    }

    /** Returns the partition in an ACQUIRE message. It can have any value. */
    public static int partitionToAcquire(ByteBuffer acquire) {
        return LogMessageLayout.at(acquire, PARTITION, Integer.BYTES).getInt();
    }

    /** Returns the mode in an ACQUIRE message. */
    public static LeaseMode modeToAcquire(ByteBuffer acquire) {
        return LeaseMode.of(
                LogMessageLayout.at(acquire, LEASE_MODE, Integer.BYTES).getInt());
    }

    /** Returns the producer id in an ACQUIRE message. It can have any value. */
    public static long producerToAcquire(ByteBuffer acquire) {
        LogMessageLayout.end(LogMessageLayout.at(acquire, LEASE_PRODUCER + Long.BYTES, 0));
        return LogMessageLayout.at(acquire, LEASE_PRODUCER, Long.BYTES).getLong();
    }

    /**
     * Returns an ACQUIRED message.
     *
     * @param word grant of the order word; null in exclusive mode
     */
    public static ByteBuffer acquired(int correlation, ByteBuffer grant, ByteBuffer word) {
        ByteBuffer message = LogMessageLayout.begin(
                        LogMessageType.ACQUIRED, correlation, word == null ? GRANT_LENGTH : 2 * GRANT_LENGTH)
                .put(grant.duplicate());
        return (word == null ? message : message.put(word.duplicate())).flip();
    }

    /** Returns the grant of the memory in an ACQUIRED message. */
    public static ByteBuffer acquiredGrant(ByteBuffer acquired) {
        return LogMessageLayout.at(acquired, BODY, GRANT_LENGTH).limit(GRANT_LENGTH);
    }

    /** Returns the grant of the order word in an ACQUIRED message, or null if there is none. */
    public static ByteBuffer acquiredWord(ByteBuffer acquired) {
        ByteBuffer word = LogMessageLayout.at(acquired, WORD, 0);
        if (!word.hasRemaining()) {
            return null;
        }
        LogMessageLayout.end(LogMessageLayout.at(acquired, WORD + GRANT_LENGTH, 0));
        return word;
    }
}
