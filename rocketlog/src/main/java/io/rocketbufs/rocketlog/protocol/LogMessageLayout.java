package io.rocketbufs.rocketlog.protocol;

import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * The layout of the messages between clients and broker: control messages of the application, all numbers big-endian.
 *
 * <pre>
 *  0          1                4                   8
 *  +----------+----------------+-------------------+------
 *  | type     | zero           | int32 correlation | body
 *  +----------+----------------+-------------------+------
 *
 *  DESCRIBE   text: only topics whose names follow it; an empty text asks for all
 *  DESCRIBED  int8 more follow, int16 count, count x {int32 partitions, int64 capacity, text topic}
 *  CREATE     int32 partitions, int64 capacity, text topic
 *  CREATED
 *  REFUSED    int32 kind, text
 *  PRODUCE    int32 buffer id, int64 topic id, text topic
 *  PRODUCING  int32 buffer id, int32 partitions, int32 length of the longest batch, int64 topic id
 *  OPEN       int32 partition, int32 kind of start, int64 offset or time or 0, int64 topic id, text topic
 *  OPENED     int32 slot, int32 partitions of the topic, int64 base offset of the segment, int64 offset, int64 position
 *             of a batch that begins at the offset or before it, int64 next offset of the partition, int64 first offset
 *             of the partition, int32 length of each segment in memory, 32 bytes grant of the segment or of the whole
 *             ring in memory, 32 bytes grant of the slots, the same in each message of a connection,
 *             int64 topic id
 *  CLOSE      int32 slot; has no answer
 *
 *  ACQUIRE, ACQUIRED: see {@link LeaseMessageLayout}
 *  DELETE, DELETED, EXAMINE, EXAMINED: see {@link TopicStateLayout}
 *
 *  text:      int16 length in bytes, UTF-8
 *  capacity:  memory of each partition in bytes, -1 for the broker's default; 0 if the topic is on the disk
 *  topic id:  differs for each creation of a topic; in a question, 0 for any topic with the name
 * </pre>
 *
 * <p>An answer has the correlation of its question. Readers accept only messages of these forms: a malformed message is
 * a {@link TransportException} with code PROTOCOL, and ends the connection.
 *
 * <p><i>Thread-safety:</i> stateless.
 */
public final class LogMessageLayout {
    private static final int CORRELATION = 4;
    /** Where the body of a message begins. */
    static final int BODY = 8;

    private static final int COUNT = BODY + 1;
    private static final int TOPICS = COUNT + Short.BYTES;
    private static final int LONGEST_TEXT = 4096;

    private static final int START_KIND = BODY + Integer.BYTES;
    private static final int START = START_KIND + Integer.BYTES;
    private static final int OPEN_ID = START + Long.BYTES;
    private static final int OPEN_TOPIC = OPEN_ID + Long.BYTES;
    private static final int PRODUCE_ID = BODY + Integer.BYTES;
    private static final int PRODUCE_TOPIC = PRODUCE_ID + Long.BYTES;
    private static final int PRODUCING_ID = BODY + 3 * Integer.BYTES;
    private static final int CAPACITY = BODY + Integer.BYTES;
    private static final int CREATE_TOPIC = CAPACITY + Long.BYTES;
    private static final int PARTITIONS = BODY + Integer.BYTES;
    private static final int BASE_OFFSET = PARTITIONS + Integer.BYTES;
    private static final int OPENED_OFFSET = BASE_OFFSET + Long.BYTES;
    private static final int POSITION = OPENED_OFFSET + Long.BYTES;
    private static final int NEXT_OFFSET = POSITION + Long.BYTES;
    private static final int FIRST_OFFSET = NEXT_OFFSET + Long.BYTES;
    private static final int RING_SEGMENT = FIRST_OFFSET + Long.BYTES;
    private static final int GRANT = RING_SEGMENT + Integer.BYTES;
    static final int GRANT_LENGTH = 32;
    private static final int SLOTS = GRANT + GRANT_LENGTH;
    private static final int OPENED_ID = SLOTS + GRANT_LENGTH;

    /** The topic id of a client that does not know the topic's. */
    public static final long ANY_TOPIC = 0;

    /** The capacity of topics that are on the disk. */
    public static final long ON_DISK = 0;

    /** Stands for the capacity that the broker is configured to use for topics in memory. */
    public static final long DEFAULT_CAPACITY = -1;

    private LogMessageLayout() {}

    /**
     * A segment that a client may read.
     *
     * @param slot index of its word in the client's slots
     * @param partitions number of partitions of its topic
     * @param baseOffset offset of its first record
     * @param offset the offset that the client requested, or the start of the log if that is later
     * @param position a batch begins here that contains the offset, or comes before it
     * @param nextOffset the offset that the partition's next record will have
     * @param firstOffset the offset that the partition's first record has had
     * @param ringSegmentLength length of each segment of a partition in memory; 0 if it is on the disk
     * @param grant description of the grant to read the segment, or all segments in memory
     * @param slots description of the grant to read the client's slots
     * @param topicId of its topic
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
     * A topic in a message.
     *
     * @param name its name
     * @param partitions number of its partitions; 0 if that is not known, because the topic's file is damaged
     * @param capacity memory of each partition in bytes; {@link #ON_DISK} if the topic is not in memory
     */
    public record TopicEntry(String name, int partitions, long capacity) {
        /** Returns true if the topic cannot be used, because its file is damaged. */
        public boolean isDamaged() {
            return partitions == 0;
        }

        /** Returns true if the records are kept in memory. */
        public boolean isInMemory() {
            return capacity != ON_DISK;
        }
    }

    /** Returns the type of a message. */
    public static LogMessageType type(ByteBuffer message) {
        need(message, 0, BODY);
        LogMessageType type = LogMessageType.of(at(message, 0, Byte.BYTES).get());
        if (type == null || (message.getInt(message.position()) & 0xFFFFFF) != 0) {
            throw malformed("unknown type " + Integer.toHexString(message.getInt(message.position())));
        }
        return type;
    }

    /** Returns the correlation of a message. */
    public static int correlation(ByteBuffer message) {
        return at(message, CORRELATION, Integer.BYTES).getInt();
    }

    /** Returns a DESCRIBE message. */
    public static ByteBuffer describe(int correlation, String after) {
        byte[] text = bytes(after);
        return put(begin(LogMessageType.DESCRIBE, correlation, text.length + Short.BYTES), text)
                .flip();
    }

    /** Returns the name in a DESCRIBE message. */
    public static String after(ByteBuffer describe) {
        return lastText(describe, BODY);
    }

    /** Returns a DESCRIBED message with as many topics, from the first on, as the length allows; reads no others. */
    public static ByteBuffer described(int correlation, Iterator<TopicEntry> topics, int longest) {
        ByteBuffer message = begin(LogMessageType.DESCRIBED, correlation, longest - BODY);
        message.position(TOPICS);
        int count = 0;
        boolean moreFollow = false;
        while (!moreFollow && topics.hasNext()) {
            TopicEntry topic = topics.next();
            byte[] text = bytes(topic.name());
            moreFollow = message.remaining() < Integer.BYTES + Long.BYTES + Short.BYTES + text.length
                    || count == Short.MAX_VALUE;
            if (!moreFollow) {
                put(message.putInt(topic.partitions()).putLong(topic.capacity()), text);
                count++;
            }
        }
        message.put(BODY, (byte) (moreFollow ? 1 : 0)).putShort(COUNT, (short) count);
        return message.flip();
    }

    /** Returns true if there are more topics than a DESCRIBED message has. */
    public static boolean moreFollow(ByteBuffer described) {
        return at(described, BODY, Byte.BYTES).get() != 0;
    }

    /** Returns the topics in a DESCRIBED message. */
    public static List<TopicEntry> topics(ByteBuffer described) {
        int count = at(described, COUNT, Short.BYTES).getShort();
        ByteBuffer rest = at(described, TOPICS, 0);
        List<TopicEntry> topics = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            need(rest, 0, Integer.BYTES + Long.BYTES);
            int partitions = rest.getInt();
            long capacity = rest.getLong();
            topics.add(new TopicEntry(text(rest), partitions, capacity));
        }
        end(rest);
        return topics;
    }

    /** Returns a CREATE message. The capacity can be {@link #ON_DISK} or {@link #DEFAULT_CAPACITY}. */
    public static ByteBuffer create(int correlation, String topic, int partitions, long capacity) {
        byte[] text = bytes(topic);
        return put(
                        begin(LogMessageType.CREATE, correlation, CREATE_TOPIC - BODY + Short.BYTES + text.length)
                                .putInt(partitions)
                                .putLong(capacity),
                        text)
                .flip();
    }

    /** Returns the number of partitions in a CREATE message. */
    public static int partitionsToCreate(ByteBuffer create) {
        return at(create, BODY, Integer.BYTES).getInt();
    }

    /** Returns the capacity in a CREATE message, which can have any value. */
    public static long capacityToCreate(ByteBuffer create) {
        return at(create, CAPACITY, Long.BYTES).getLong();
    }

    /** Returns the topic in a CREATE message. */
    public static String topicToCreate(ByteBuffer create) {
        return lastText(create, CREATE_TOPIC);
    }

    /** Returns the topic in a PRODUCE message. */
    public static String topic(ByteBuffer message) {
        return lastText(message, PRODUCE_TOPIC);
    }

    /** Returns the topic id in a PRODUCE message, which can have any value. */
    public static long topicId(ByteBuffer produce) {
        return at(produce, PRODUCE_ID, Long.BYTES).getLong();
    }

    /** Returns a CREATED message. */
    public static ByteBuffer created(int correlation) {
        return begin(LogMessageType.CREATED, correlation, 0).flip();
    }

    /** Returns a REFUSED message; a long text is truncated. */
    public static ByteBuffer refused(int correlation, LogRefusal kind, String reason) {
        byte[] text = bytes(reason.length() > LONGEST_TEXT / 4 ? reason.substring(0, LONGEST_TEXT / 4) : reason);
        return put(
                        begin(LogMessageType.REFUSED, correlation, Integer.BYTES + Short.BYTES + text.length)
                                .putInt(kind.code()),
                        text)
                .flip();
    }

    /** Returns the kind in a REFUSED message. */
    public static LogRefusal refusal(ByteBuffer refused) {
        return LogRefusal.of(at(refused, BODY, Integer.BYTES).getInt());
    }

    /** Returns the text in a REFUSED message. */
    public static String reason(ByteBuffer refused) {
        return lastText(refused, BODY + Integer.BYTES);
    }

    /** Returns a PRODUCE message for any topic with a name. */
    public static ByteBuffer produce(int correlation, int bufferId, String topic) {
        return produce(correlation, bufferId, topic, ANY_TOPIC);
    }

    /** Returns a PRODUCE message. */
    public static ByteBuffer produce(int correlation, int bufferId, String topic, long topicId) {
        byte[] text = bytes(topic);
        return put(
                        begin(LogMessageType.PRODUCE, correlation, PRODUCE_TOPIC - BODY + Short.BYTES + text.length)
                                .putInt(bufferId)
                                .putLong(topicId),
                        text)
                .flip();
    }

    /** Returns the buffer in a PRODUCE, PRODUCING or ACQUIRE message. */
    public static int bufferId(ByteBuffer message) {
        return at(message, BODY, Integer.BYTES).getInt();
    }

    /** Returns a PRODUCING message. */
    public static ByteBuffer producing(int correlation, int bufferId, int partitions, int longestBatch, long topicId) {
        return begin(LogMessageType.PRODUCING, correlation, 3 * Integer.BYTES + Long.BYTES)
                .putInt(bufferId)
                .putInt(partitions)
                .putInt(longestBatch)
                .putLong(topicId)
                .flip();
    }

    /** Returns the topic id in a PRODUCING message. */
    public static long producedTopicId(ByteBuffer producing) {
        return at(producing, PRODUCING_ID, Long.BYTES).getLong();
    }

    /** Returns the number of partitions in a PRODUCING message. */
    public static int partitions(ByteBuffer producing) {
        return at(producing, BODY + Integer.BYTES, Integer.BYTES).getInt();
    }

    /** Returns the length of the longest batch in a PRODUCING message. */
    public static int longestBatch(ByteBuffer producing) {
        return at(producing, BODY + 2 * Integer.BYTES, Integer.BYTES).getInt();
    }

    /** Returns an OPEN message; the value is an offset, a time in milliseconds since 1970, or 0. */
    public static ByteBuffer open(
            int correlation, String topic, long topicId, int partition, StartKind kind, long value) {
        byte[] text = bytes(topic);
        return put(
                        begin(LogMessageType.OPEN, correlation, OPEN_TOPIC - BODY + Short.BYTES + text.length)
                                .putInt(partition)
                                .putInt(kind.code())
                                .putLong(value)
                                .putLong(topicId),
                        text)
                .flip();
    }

    /** Returns the partition in an OPEN message, which can have any value. */
    public static int openPartition(ByteBuffer open) {
        return at(open, BODY, Integer.BYTES).getInt();
    }

    /** Returns the kind of start in an OPEN message. */
    public static StartKind openKind(ByteBuffer open) {
        return StartKind.of(at(open, START_KIND, Integer.BYTES).getInt());
    }

    /** Returns the offset or time in an OPEN message, which can have any value. */
    public static long openValue(ByteBuffer open) {
        return at(open, START, Long.BYTES).getLong();
    }

    /** Returns the topic id in an OPEN message, which can have any value. */
    public static long openTopicId(ByteBuffer open) {
        return at(open, OPEN_ID, Long.BYTES).getLong();
    }

    /** Returns the topic in an OPEN message. */
    public static String openTopic(ByteBuffer open) {
        return lastText(open, OPEN_TOPIC);
    }

    /** Returns an OPENED message. */
    public static ByteBuffer opened(int correlation, OpenedSegment segment) {
        return begin(LogMessageType.OPENED, correlation, OPENED_ID + Long.BYTES - BODY)
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
        end(at(opened, OPENED_ID + Long.BYTES, 0));
        return new OpenedSegment(
                slot(opened),
                at(opened, PARTITIONS, Integer.BYTES).getInt(),
                at(opened, BASE_OFFSET, Long.BYTES).getLong(),
                at(opened, OPENED_OFFSET, Long.BYTES).getLong(),
                at(opened, POSITION, Long.BYTES).getLong(),
                at(opened, NEXT_OFFSET, Long.BYTES).getLong(),
                at(opened, FIRST_OFFSET, Long.BYTES).getLong(),
                at(opened, RING_SEGMENT, Integer.BYTES).getInt(),
                at(opened, GRANT, GRANT_LENGTH).limit(GRANT_LENGTH),
                at(opened, SLOTS, GRANT_LENGTH).limit(GRANT_LENGTH),
                at(opened, OPENED_ID, Long.BYTES).getLong());
    }

    /** Returns a CLOSE message. */
    public static ByteBuffer close(int slot) {
        return begin(LogMessageType.CLOSE, 0, Integer.BYTES).putInt(slot).flip();
    }

    /** Returns the slot in a CLOSE or OPENED message. */
    public static int slot(ByteBuffer message) {
        return at(message, BODY, Integer.BYTES).getInt();
    }

    static ByteBuffer begin(LogMessageType type, int correlation, int bodyLength) {
        return ByteBuffer.allocate(BODY + bodyLength)
                .put((byte) type.code())
                .position(CORRELATION)
                .putInt(correlation);
    }

    static byte[] bytes(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > LONGEST_TEXT) {
            throw new IllegalArgumentException(
                    "a text has " + bytes.length + " bytes; the longest has " + LONGEST_TEXT);
        }
        return bytes;
    }

    static ByteBuffer put(ByteBuffer message, byte[] text) {
        return message.putShort((short) text.length).put(text);
    }

    /** Returns a view of a message from an index on. */
    static ByteBuffer at(ByteBuffer message, int index, int length) {
        need(message, index, length);
        return message.slice(message.position() + index, message.remaining() - index);
    }

    static String lastText(ByteBuffer message, int index) {
        ByteBuffer rest = at(message, index, Short.BYTES);
        String text = text(rest);
        end(rest);
        return text;
    }

    /** Reads a text, and advances the position past it. */
    static String text(ByteBuffer rest) {
        need(rest, 0, Short.BYTES);
        int length = rest.getShort();
        if (length < 0 || length > LONGEST_TEXT) {
            throw malformed("a text has " + length + " bytes");
        }
        need(rest, 0, length);
        ByteBuffer bytes = rest.slice(rest.position(), length);
        rest.position(rest.position() + length);
        try {
            CharBuffer decoded = StandardCharsets.UTF_8.newDecoder().decode(bytes);
            return decoded.toString();
        } catch (CharacterCodingException e) {
            throw malformed("a text is not UTF-8");
        }
    }

    static void need(ByteBuffer message, int index, int length) {
        if (message.remaining() < index + length) {
            throw malformed("it ends after " + message.remaining() + " bytes");
        }
    }

    static void end(ByteBuffer rest) {
        if (rest.hasRemaining()) {
            throw malformed("it has " + rest.remaining() + " bytes too many");
        }
    }

    private static TransportException malformed(String problem) {
        return new TransportException(
                TransportException.Code.PROTOCOL, "malformed message of rocketlog's protocol: " + problem);
    }
}
