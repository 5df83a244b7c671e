package io.rocketbufs.rocketlog.record;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The layout of Kafka's record batch, version 2. All numbers are big-endian.
 *
 * <pre>
 *  0            8        12              16      17      21           23
 *  +------------+--------+---------------+-------+-------+------------+-------------------+
 *  | int64 base | int32  | int32 leader  | int8  | int32 | int16      | int32 last        |
 *  | offset     | length | epoch         | magic | CRC   | attributes | offset delta      |
 *  +------------+--------+---------------+-------+-------+------------+-------------------+
 *  27           35         43            51             53             57      61
 *  +------------+----------+-------------+--------------+--------------+-------+---------+
 *  | int64 base | int64    | int64       | int16        | int32 base   | int32 | records |
 *  | timestamp  | largest  | producer id | producer     | sequence     | count | ...     |
 *  |            | timestamp|             | epoch        |              |       |         |
 *  +------------+----------+-------------+--------------+--------------+-------+---------+
 * </pre>
 *
 * <p>The length field counts the bytes after it. The CRC-32C covers everything from the attributes to the end of the
 * batch. The log can therefore set the base offset and the leader epoch in place without computing a new CRC.
 *
 * <p>Every method takes the position of the batch in the buffer, whose byte order must be big-endian. The buffer's own
 * position stays unchanged; only {@link #crcOf} changes it temporarily.
 *
 * <p><i>Thread-safety:</i> stateless.
 *
 * <p><i>Source:</i> KafkaDirect, section 4.1: Kafka's format is unchanged.
 */
public final class RecordBatchLayout {
    /** Length of a batch without records. */
    public static final int HEADER_LENGTH = 61;

    /** The only version of the format that the log accepts. */
    public static final byte MAGIC = 2;

    /** The base offset and the leader epoch of a batch that no log has accepted yet. */
    public static final int NOT_ASSIGNED = -1;

    /** The producer id, the producer epoch and the base sequence of a batch that is not checked for duplicates. */
    public static final int NO_PRODUCER = -1;

    /** The bit of the attributes that marks control batches. Clients skip such batches. */
    public static final int CONTROL = 0x20;

    /** The bits of the attributes that contain the number of the compression codec; 0 means no compression. */
    public static final int COMPRESSION = 0x07;

    /** The highest codec number, which denotes Zstandard. */
    public static final int LAST_COMPRESSION = 4;

    /** All attribute bits that have a defined meaning. */
    public static final int KNOWN_ATTRIBUTES = 0x7F;

    /** Number of bytes in a batch that its length field does not count. */
    static final int LENGTH_OVERHEAD = 12;

    /** Number of bytes at the beginning of a batch that {@link #length} and {@link #baseOffset} read. */
    public static final int PREFIX_LENGTH = LENGTH_OVERHEAD;

    /** Offset in a batch of the first byte that the CRC covers. */
    public static final int CRC_BEGIN = 21;

    private static final int LENGTH = 8;
    private static final int LEADER_EPOCH = 12;
    private static final int MAGIC_BYTE = 16;
    private static final int CRC = 17;
    private static final int ATTRIBUTES = CRC_BEGIN;
    private static final int LAST_OFFSET_DELTA = 23;
    private static final int BASE_TIMESTAMP = 27;
    private static final int LARGEST_TIMESTAMP = 35;
    private static final int PRODUCER_ID = 43;
    private static final int PRODUCER_EPOCH = 51;
    private static final int BASE_SEQUENCE = 53;
    private static final int COUNT = 57;

    private RecordBatchLayout() {}

    /**
     * Returns the length of the whole batch in bytes. If the length field is invalid, the result can have any value,
     * even a negative value.
     */
    public static long length(ByteBuffer buffer, int batch) {
        return (long) buffer.getInt(batch + LENGTH) + LENGTH_OVERHEAD;
    }

    static void setLength(ByteBuffer buffer, int batch, int length) {
        buffer.putInt(batch + LENGTH, length - LENGTH_OVERHEAD);
    }

    /** Returns the offset of the first record. */
    public static long baseOffset(ByteBuffer buffer, int batch) {
        return buffer.getLong(batch);
    }

    /** Sets the fields that the log assigns, which the CRC does not cover. */
    public static void assign(ByteBuffer buffer, int batch, long baseOffset, int leaderEpoch) {
        setLeaderEpoch(buffer, batch, leaderEpoch);
        setBaseOffset(buffer, batch, baseOffset);
    }

    /** Sets the leader epoch, one of the two fields that {@link #assign} sets. */
    public static void setLeaderEpoch(ByteBuffer buffer, int batch, int leaderEpoch) {
        buffer.putInt(batch + LEADER_EPOCH, leaderEpoch);
    }

    /** Sets the base offset, one of the two fields that {@link #assign} sets. */
    public static void setBaseOffset(ByteBuffer buffer, int batch, long baseOffset) {
        buffer.putLong(batch, baseOffset);
    }

    /** Returns the epoch of the leader that accepted the batch. */
    public static int leaderEpoch(ByteBuffer buffer, int batch) {
        return buffer.getInt(batch + LEADER_EPOCH);
    }

    /** Returns the version of the format. */
    public static byte magic(ByteBuffer buffer, int batch) {
        return buffer.get(batch + MAGIC_BYTE);
    }

    static void setMagic(ByteBuffer buffer, int batch) {
        buffer.put(batch + MAGIC_BYTE, MAGIC);
    }

    /** Returns the CRC stated in the batch. */
    public static int crc(ByteBuffer buffer, int batch) {
        return buffer.getInt(batch + CRC);
    }

    /**
     * Computes the CRC of a batch.
     *
     * @param length length of the whole batch in bytes, at least {@link #HEADER_LENGTH}
     * @param crc32c an object that this method resets, so that callers can reuse it for all batches
     */
    public static int crcOf(ByteBuffer buffer, int batch, int length, CRC32C crc32c) {
        crc32c.reset();
        update(crc32c, buffer, batch + CRC_BEGIN, batch + length);
        return (int) crc32c.getValue();
    }

    /**
     * Computes the CRC of a batch from a copy of its header and from the records in the buffer.
     *
     * @param at position of the copy in {@code header}; both buffers may be the same
     */
    static int crcOf(ByteBuffer header, int at, ByteBuffer buffer, int batch, int length, CRC32C crc32c) {
        crc32c.reset();
        update(crc32c, header, at + CRC_BEGIN, at + HEADER_LENGTH);
        update(crc32c, buffer, batch + HEADER_LENGTH, batch + length);
        return (int) crc32c.getValue();
    }

    /** Updates a CRC with the header of a batch. */
    public static void updateWithHeader(CRC32C crc32c, ByteBuffer buffer, int batch) {
        update(crc32c, buffer, batch, batch + HEADER_LENGTH);
    }

    private static void update(CRC32C crc32c, ByteBuffer buffer, int from, int to) {
        int position = buffer.position();
        int limit = buffer.limit();
        buffer.limit(to).position(from);
        crc32c.update(buffer);
        buffer.limit(limit).position(position);
    }

    static void setCrc(ByteBuffer buffer, int batch, int crc) {
        buffer.putInt(batch + CRC, crc);
    }

    /** Returns the attributes: the codec, the timestamp type, and the flags for transactional and control batches. */
    public static int attributes(ByteBuffer buffer, int batch) {
        return buffer.getShort(batch + ATTRIBUTES);
    }

    static void setAttributes(ByteBuffer buffer, int batch, int attributes) {
        buffer.putShort(batch + ATTRIBUTES, (short) attributes);
    }

    /** Returns the offset of the last record, relative to the base offset. */
    public static int lastOffsetDelta(ByteBuffer buffer, int batch) {
        return buffer.getInt(batch + LAST_OFFSET_DELTA);
    }

    /** Returns the offset of the last record. */
    public static long lastOffset(ByteBuffer buffer, int batch) {
        return baseOffset(buffer, batch) + lastOffsetDelta(buffer, batch);
    }

    /** Returns the timestamp of the first record, in milliseconds since 1970. */
    public static long baseTimestamp(ByteBuffer buffer, int batch) {
        return buffer.getLong(batch + BASE_TIMESTAMP);
    }

    /** Returns the largest timestamp of the records, in milliseconds since 1970. */
    public static long largestTimestamp(ByteBuffer buffer, int batch) {
        return buffer.getLong(batch + LARGEST_TIMESTAMP);
    }

    static void setTimestamps(ByteBuffer buffer, int batch, long base, long largest) {
        buffer.putLong(batch + BASE_TIMESTAMP, base);
        buffer.putLong(batch + LARGEST_TIMESTAMP, largest);
    }

    /** Returns the producer's id, or {@link #NO_PRODUCER}. */
    public static long producerId(ByteBuffer buffer, int batch) {
        return buffer.getLong(batch + PRODUCER_ID);
    }

    /** Returns the producer's epoch, or {@link #NO_PRODUCER}. */
    public static short producerEpoch(ByteBuffer buffer, int batch) {
        return buffer.getShort(batch + PRODUCER_EPOCH);
    }

    /** Returns the sequence of the first record, or {@link #NO_PRODUCER}. */
    public static int baseSequence(ByteBuffer buffer, int batch) {
        return buffer.getInt(batch + BASE_SEQUENCE);
    }

    static void setProducer(ByteBuffer buffer, int batch, long id, short epoch, int baseSequence) {
        buffer.putLong(batch + PRODUCER_ID, id);
        buffer.putShort(batch + PRODUCER_EPOCH, epoch);
        buffer.putInt(batch + BASE_SEQUENCE, baseSequence);
    }

    /** Returns the number of records. */
    public static int count(ByteBuffer buffer, int batch) {
        return buffer.getInt(batch + COUNT);
    }

    static void setCount(ByteBuffer buffer, int batch, int count) {
        buffer.putInt(batch + LAST_OFFSET_DELTA, count - 1);
        buffer.putInt(batch + COUNT, count);
    }
}
