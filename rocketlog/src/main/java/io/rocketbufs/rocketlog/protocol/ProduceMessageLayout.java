package io.rocketbufs.rocketlog.protocol;

import java.nio.ByteBuffer;

/**
 * The layout of the messages that announce a producer, after the common header, which {@link LogMessageLayout}
 * describes:
 *
 * <pre>
 *  PRODUCE    int32 buffer id, int64 topic id, text topic
 *  PRODUCING  int32 buffer id, int32 partitions, int32 length of the longest batch, int64 topic id
 * </pre>
 *
 * <p><i>Thread-safety:</i> stateless.
 */
public final class ProduceMessageLayout {
    private static final int BODY = LogMessageLayout.BODY;
    private static final int PRODUCE_ID = BODY + Integer.BYTES;
    private static final int PRODUCE_TOPIC = PRODUCE_ID + Long.BYTES;
    private static final int PARTITIONS = BODY + Integer.BYTES;
    private static final int LONGEST_BATCH = PARTITIONS + Integer.BYTES;
    private static final int PRODUCING_ID = LONGEST_BATCH + Integer.BYTES;

    private ProduceMessageLayout() {}

    /** Returns a PRODUCE message for any topic with the given name. */
    public static ByteBuffer produce(int correlation, int bufferId, String topic) {
        return produce(correlation, bufferId, topic, LogMessageLayout.ANY_TOPIC);
    }

    /** Returns a PRODUCE message. */
    public static ByteBuffer produce(int correlation, int bufferId, String topic, long topicId) {
        byte[] text = LogMessageLayout.bytes(topic);
        return LogMessageLayout.put(
                        LogMessageLayout.begin(
                                        LogMessageType.PRODUCE,
                                        correlation,
                                        PRODUCE_TOPIC - BODY + Short.BYTES + text.length)
                                .putInt(bufferId)
                                .putLong(topicId),
                        text)
                .flip();
    }

    /** Returns the buffer id in a PRODUCE or PRODUCING message. */
    public static int bufferId(ByteBuffer message) {
        return LogMessageLayout.at(message, BODY, Integer.BYTES).getInt();
    }

    /** Returns the topic in a PRODUCE message. */
    public static String topic(ByteBuffer message) {
        return LogMessageLayout.lastText(message, PRODUCE_TOPIC);
    }

    /** Returns the topic id in a PRODUCE message. It can have any value. */
    public static long topicId(ByteBuffer produce) {
        return LogMessageLayout.at(produce, PRODUCE_ID, Long.BYTES).getLong();
    }

    /** Returns a PRODUCING message. */
    public static ByteBuffer producing(int correlation, int bufferId, int partitions, int longestBatch, long topicId) {
        return LogMessageLayout.begin(LogMessageType.PRODUCING, correlation, 3 * Integer.BYTES + Long.BYTES)
                .putInt(bufferId)
                .putInt(partitions)
                .putInt(longestBatch)
                .putLong(topicId)
                .flip();
    }

    /** Returns the number of partitions in a PRODUCING message. */
    public static int partitions(ByteBuffer producing) {
        return LogMessageLayout.at(producing, PARTITIONS, Integer.BYTES).getInt();
    }

    /** Returns the length of the longest batch in a PRODUCING message. */
    public static int longestBatch(ByteBuffer producing) {
        return LogMessageLayout.at(producing, LONGEST_BATCH, Integer.BYTES).getInt();
    }

    /** Returns the topic id in a PRODUCING message. */
    public static long producedTopicId(ByteBuffer producing) {
        return LogMessageLayout.at(producing, PRODUCING_ID, Long.BYTES).getLong();
    }
}
