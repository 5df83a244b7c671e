package io.rocketbufs.rocketlog.log;

import java.nio.ByteBuffer;

/**
 * The layouts of Kafka's index files. All numbers are big-endian, and offsets are relative to the base offset of the
 * segment.
 *
 * <pre>
 *  .index       0                       4                    8
 *               +-----------------------+--------------------+
 *               | int32 last offset of  | int32 position of  |   one entry per index interval
 *               | a batch               | the batch          |
 *               +-----------------------+--------------------+
 *  .timeindex   0                            8                             12
 *               +----------------------------+-----------------------------+
 *               | int64 largest timestamp up | int32 last offset of the    |   timestamps increase
 *               | to here                    | batch with that timestamp   |
 *               +----------------------------+-----------------------------+
 * </pre>
 *
 * <p><i>Thread-safety:</i> stateless.
 */
final class IndexLayout {
    static final int ENTRY_LENGTH = 8;
    static final int TIME_ENTRY_LENGTH = 12;

    private static final int POSITION = 4;
    private static final int TIME_OFFSET = 8;

    private IndexLayout() {}

    static int offset(ByteBuffer index, int entry) {
        return index.getInt(entry * ENTRY_LENGTH);
    }

    static int position(ByteBuffer index, int entry) {
        return index.getInt(entry * ENTRY_LENGTH + POSITION);
    }

    static void put(ByteBuffer index, int entry, int offset, int position) {
        index.putInt(entry * ENTRY_LENGTH, offset).putInt(entry * ENTRY_LENGTH + POSITION, position);
    }

    static long timestamp(ByteBuffer timeIndex, int entry) {
        return timeIndex.getLong(entry * TIME_ENTRY_LENGTH);
    }

    static int timeOffset(ByteBuffer timeIndex, int entry) {
        return timeIndex.getInt(entry * TIME_ENTRY_LENGTH + TIME_OFFSET);
    }

    static void putTime(ByteBuffer timeIndex, int entry, long timestamp, int offset) {
        timeIndex.putLong(entry * TIME_ENTRY_LENGTH, timestamp).putInt(entry * TIME_ENTRY_LENGTH + TIME_OFFSET, offset);
    }
}
