package io.rocketbufs.rocketlog.protocol;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * The layout of the messages that list and create topics, after the common header, which {@link LogMessageLayout}
 * describes:
 *
 * <pre>
 *  DESCRIBE   text: only topics whose names sort after it are requested; an empty text requests all topics
 *  DESCRIBED  int8 more follow, int16 count, count x {int32 partitions, int64 capacity, text topic}
 *  CREATE     int32 partitions, int64 capacity, options, text topic
 *  CREATED
 *
 *  capacity:  memory of each partition in bytes, -1 for the broker's default; 0 if the topic is on the disk
 *  options:   int64 retention time in ms, int64 retention length, int64 segment length; each is 0 for the broker's
 *             value; a retention time or length of -1 means no limit
 * </pre>
 *
 * <p><i>Thread-safety:</i> stateless.
 */
public final class TopicMessageLayout {
    /** The capacity of topics on the disk. */
    public static final long ON_DISK = 0;

    /** Selects the capacity that the broker is configured to use for topics in memory. */
    public static final long DEFAULT_CAPACITY = -1;

    private static final int BODY = LogMessageLayout.BODY;
    private static final int COUNT = BODY + 1;
    private static final int TOPICS = COUNT + Short.BYTES;
    private static final int CAPACITY = BODY + Integer.BYTES;
    private static final int OPTIONS = CAPACITY + Long.BYTES;
    /** Length of the options of a topic, in bytes. */
    static final int OPTIONS_LENGTH = 3 * Long.BYTES;

    private static final int CREATE_TOPIC = OPTIONS + OPTIONS_LENGTH;

    private TopicMessageLayout() {}

    /**
     * A topic in a message.
     *
     * @param name name of the topic
     * @param partitions number of partitions, or 0 if the number is unknown because the topic's file is damaged
     * @param capacity memory of each partition in bytes, or {@link #ON_DISK} if the topic is on the disk
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

    /**
     * A topic to create.
     *
     * @param name name of the topic
     * @param partitions number of partitions
     * @param capacity memory of each partition in bytes, or {@link #ON_DISK} or {@link #DEFAULT_CAPACITY}
     * @param options the topic's own options
     */
    public record NewTopic(String name, int partitions, long capacity, LogTopicOptions options) {}

    /** Returns a DESCRIBE message. */
    public static ByteBuffer describe(int correlation, String after) {
        byte[] text = LogMessageLayout.bytes(after);
        return LogMessageLayout.put(
                        LogMessageLayout.begin(LogMessageType.DESCRIBE, correlation, text.length + Short.BYTES), text)
                .flip();
    }

    /** Returns the name in a DESCRIBE message, after which the requested names sort. */
    public static String after(ByteBuffer describe) {
        return LogMessageLayout.lastText(describe, BODY);
    }

    /**
     * Returns a DESCRIBED message that contains as many topics, starting with the first, as the maximum length allows.
     * Takes no other topics from the iterator.
     */
    public static ByteBuffer described(int correlation, Iterator<TopicEntry> topics, int longest) {
        ByteBuffer message = LogMessageLayout.begin(LogMessageType.DESCRIBED, correlation, longest - BODY);
        message.position(TOPICS);
        int count = 0;
        boolean moreFollow = false;
        while (!moreFollow && topics.hasNext()) {
            TopicEntry topic = topics.next();
            byte[] text = LogMessageLayout.bytes(topic.name());
            moreFollow = message.remaining() < Integer.BYTES + Long.BYTES + Short.BYTES + text.length
                    || count == Short.MAX_VALUE;
            if (!moreFollow) {
                LogMessageLayout.put(message.putInt(topic.partitions()).putLong(topic.capacity()), text);
                count++;
            }
        }
        message.put(BODY, (byte) (moreFollow ? 1 : 0)).putShort(COUNT, (short) count);
        return message.flip();
    }

    /** Returns true if there are more topics than a DESCRIBED message contains. */
    public static boolean moreFollow(ByteBuffer described) {
        return LogMessageLayout.at(described, BODY, Byte.BYTES).get() != 0;
    }

    /** Returns the topics in a DESCRIBED message. */
    public static List<TopicEntry> topics(ByteBuffer described) {
        int count = LogMessageLayout.at(described, COUNT, Short.BYTES).getShort();
        ByteBuffer rest = LogMessageLayout.at(described, TOPICS, 0);
        List<TopicEntry> topics = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            LogMessageLayout.need(rest, 0, Integer.BYTES + Long.BYTES);
            int partitions = rest.getInt();
            long capacity = rest.getLong();
            topics.add(new TopicEntry(LogMessageLayout.text(rest), partitions, capacity));
        }
        LogMessageLayout.end(rest);
        return topics;
    }

    /** Returns a CREATE message. */
    public static ByteBuffer create(int correlation, NewTopic topic) {
        byte[] text = LogMessageLayout.bytes(topic.name());
        ByteBuffer message = LogMessageLayout.begin(
                LogMessageType.CREATE, correlation, CREATE_TOPIC - BODY + Short.BYTES + text.length);
        message.putInt(topic.partitions()).putLong(topic.capacity());
        return LogMessageLayout.put(put(message, topic.options()), text).flip();
    }

    /** Returns the topic in a CREATE message. Its numbers can have any value. */
    public static NewTopic topicToCreate(ByteBuffer create) {
        return new NewTopic(
                LogMessageLayout.lastText(create, CREATE_TOPIC),
                LogMessageLayout.at(create, BODY, Integer.BYTES).getInt(),
                LogMessageLayout.at(create, CAPACITY, Long.BYTES).getLong(),
                options(LogMessageLayout.at(create, OPTIONS, OPTIONS_LENGTH)));
    }

    /** Appends the options of a topic to a message. */
    static ByteBuffer put(ByteBuffer message, LogTopicOptions options) {
        return message.putLong(options.retentionMs())
                .putLong(options.retentionLength())
                .putLong(options.segmentLength());
    }

    /** Reads the options of a topic at the message's position. The message must contain them completely. */
    static LogTopicOptions options(ByteBuffer message) {
        return new LogTopicOptions(message.getLong(), message.getLong(), message.getLong());
    }

    /** Returns a CREATED message. */
    public static ByteBuffer created(int correlation) {
        return LogMessageLayout.begin(LogMessageType.CREATED, correlation, 0).flip();
    }
}
