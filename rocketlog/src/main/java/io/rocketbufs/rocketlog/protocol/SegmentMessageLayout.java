package io.rocketbufs.rocketlog.protocol;

import java.nio.ByteBuffer;

/**
 * The layout of the messages with which consumers open and close segments, after the common header, which
 * {@link LogMessageLayout} describes:
 *
 * <pre>
 *  OPEN       int32 partition, int32 kind of start, int64 offset, time or 0, int64 topic id, text topic
 *  OPENED     int32 slot, int32 partitions of the topic, int64 base offset of the segment, int64 offset, int64 position
 *             of a batch that begins at or before the offset, int64 next offset of the partition, int64 first offset of
 *             the partition, int32 length of each segment in memory, 32 bytes grant of the segment or of the whole ring
 *             in memory, 32 bytes grant of the slots (the same in each message of a connection), int64 topic id
 *  CLOSE      int32 slot; has no response
 * </pre>
 *
 * <p><i>Thread-safety:</i> stateless.
 */
public final class SegmentMessageLayout {
    private static final int BODY = LogMessageLayout.BODY;
    private static final int GRANT_LENGTH = LogMessageLayout.GRANT_LENGTH;

    private static final int START_KIND = BODY + Integer.BYTES;
    private static final int START = START_KIND + Integer.BYTES;
    private static final int OPEN_ID = START + Long.BYTES;
    private static final int OPEN_TOPIC = OPEN_ID + Long.BYTES;

    private static final int PARTITIONS = BODY + Integer.BYTES;
    private static final int BASE_OFFSET = PARTITIONS + Integer.BYTES;
    private static final int OPENED_OFFSET = BASE_OFFSET + Long.BYTES;
    private static final int POSITION = OPENED_OFFSET + Long.BYTES;
    private static final int NEXT_OFFSET = POSITION + Long.BYTES;
    private static final int FIRST_OFFSET = NEXT_OFFSET + Long.BYTES;
    private static final int RING_SEGMENT = FIRST_OFFSET + Long.BYTES;
    private static final int GRANT = RING_SEGMENT + Integer.BYTES;
    private static final int SLOTS = GRANT + GRANT_LENGTH;
    private static final int OPENED_ID = SLOTS + GRANT_LENGTH;

    private SegmentMessageLayout() {}

    /**
     * A segment that a client may read.
     *
     * @param slot index of the segment's word in the client's slots
     * @param partitions number of partitions of the topic
     * @param baseOffset offset of the segment's first record
     * @param offset the offset that the client requested, or the start offset of the log if that is higher
     * @param position position of a batch that contains the offset or precedes it
     * @param nextOffset the offset that the partition's next record will have
     * @param firstOffset the offset that the partition's first record had
     * @param ringSegmentLength length of each segment of a partition in memory; 0 if it is on the disk
     * @param grant description of the grant to read the segment, or all segments in memory
     * @param slots description of the grant to read the client's slots ({@link SlotLayout})
     * @param topicId id of the topic
     */
    public record OpenedSegment(
            int slot,
            int partitions,
            long baseOffset,
            long offset,
            long position,
            long nextOffset,
            long firstOffset,
            int ringSegmentLength,
            ByteBuffer grant,
            ByteBuffer slots,
            long topicId) {}

    /**
     * Returns an OPEN message. Depending on the kind, the value is an offset, a time in milliseconds since 1970, or 0.
     */
    public static ByteBuffer open(
            int correlation, String topic, long topicId, int partition, StartKind kind, long value) {
        byte[] text = LogMessageLayout.bytes(topic);
        return LogMessageLayout.put(
                        LogMessageLayout.begin(
                                        LogMessageType.OPEN, correlation, OPEN_TOPIC - BODY + Short.BYTES + text.length)
                                .putInt(partition)
                                .putInt(kind.code())
                                .putLong(value)
                                .putLong(topicId),
                        text)
                .flip();
    }

    /** Returns the partition in an OPEN message. It can have any value. */
    public static int openPartition(ByteBuffer open) {
        return LogMessageLayout.at(open, BODY, Integer.BYTES).getInt();
    }

    /** Returns the kind of start in an OPEN message. */
    public static StartKind openKind(ByteBuffer open) {
        return StartKind.of(LogMessageLayout.at(open, START_KIND, Integer.BYTES).getInt());
    }

    /** Returns the offset or time in an OPEN message. It can have any value. */
    public static long openValue(ByteBuffer open) {
        return LogMessageLayout.at(open, START, Long.BYTES).getLong();
    }

    /** Returns the topic id in an OPEN message. It can have any value. */
    public static long openTopicId(ByteBuffer open) {
        return LogMessageLayout.at(open, OPEN_ID, Long.BYTES).getLong();
    }

    /** Returns the topic in an OPEN message. */
    public static String openTopic(ByteBuffer open) {
        return LogMessageLayout.lastText(open, OPEN_TOPIC);
    }

    /** Returns an OPENED message. */
    public static ByteBuffer opened(int correlation, OpenedSegment segment) {
        return LogMessageLayout.begin(LogMessageType.OPENED, correlation, OPENED_ID + Long.BYTES - BODY)
                .putInt(segment.slot())
                .putInt(segment.partitions())
                .putLong(segment.baseOffset())
                .putLong(segment.offset())
                .putLong(segment.position())
                .putLong(segment.nextOffset())
                .putLong(segment.firstOffset())
                .putInt(segment.ringSegmentLength())
                .put(segment.grant().duplicate())
                .put(segment.slots().duplicate())
                .putLong(segment.topicId())
                .flip();
    }

    /** Returns the content of an OPENED message. */
    public static OpenedSegment openedSegment(ByteBuffer opened) {
        LogMessageLayout.end(LogMessageLayout.at(opened, OPENED_ID + Long.BYTES, 0));
        return new OpenedSegment(
                slot(opened),
                LogMessageLayout.at(opened, PARTITIONS, Integer.BYTES).getInt(),
                LogMessageLayout.at(opened, BASE_OFFSET, Long.BYTES).getLong(),
                LogMessageLayout.at(opened, OPENED_OFFSET, Long.BYTES).getLong(),
                LogMessageLayout.at(opened, POSITION, Long.BYTES).getLong(),
                LogMessageLayout.at(opened, NEXT_OFFSET, Long.BYTES).getLong(),
                LogMessageLayout.at(opened, FIRST_OFFSET, Long.BYTES).getLong(),
                LogMessageLayout.at(opened, RING_SEGMENT, Integer.BYTES).getInt(),
                LogMessageLayout.at(opened, GRANT, GRANT_LENGTH).limit(GRANT_LENGTH),
                LogMessageLayout.at(opened, SLOTS, GRANT_LENGTH).limit(GRANT_LENGTH),
                LogMessageLayout.at(opened, OPENED_ID, Long.BYTES).getLong());
    }

    /** Returns a CLOSE message. */
    public static ByteBuffer close(int slot) {
        return LogMessageLayout.begin(LogMessageType.CLOSE, 0, Integer.BYTES)
                .putInt(slot)
                .flip();
    }

    /** Returns the slot in a CLOSE or OPENED message. */
    public static int slot(ByteBuffer message) {
        return LogMessageLayout.at(message, BODY, Integer.BYTES).getInt();
    }
}
