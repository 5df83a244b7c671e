package io.rocketbufs.rocketlog.protocol;

import io.rocketbufs.rocketlog.protocol.TopicState.Partition;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * The layout of the messages that examine and delete a topic, after the common header, which {@link LogMessageLayout}
 * describes:
 *
 * <pre>
 *  EXAMINE    int32 number of the first partition, text topic
 *  EXAMINED   int64 topic id, int64 capacity, the topic's own options, the options in force, int32 partitions of the
 *             topic, int32 count, count x partition
 *
 *  DELETE     text topic
 *  DELETED
 *
 *  options:   as in CREATE ({@link TopicMessageLayout})
 *  partition: int64 first offset, int64 next offset, int64 durable offset, int64 length, int32 segments,
 *             text client that holds the lease, text failure
 * </pre>
 *
 * <p><i>Thread-safety:</i> stateless.
 */
public final class TopicStateLayout {
    private static final int TOPIC = LogMessageLayout.BODY + Integer.BYTES;
    private static final int CAPACITY = LogMessageLayout.BODY + Long.BYTES;
    private static final int OWN_OPTIONS = CAPACITY + Long.BYTES;
    private static final int OPTIONS = OWN_OPTIONS + TopicMessageLayout.OPTIONS_LENGTH;
    private static final int PARTITIONS = OPTIONS + TopicMessageLayout.OPTIONS_LENGTH;
    private static final int COUNT = PARTITIONS + Integer.BYTES;
    private static final int STATES = COUNT + Integer.BYTES;
    private static final int NUMBERS_LENGTH = 4 * Long.BYTES + Integer.BYTES;
    private static final int LONGEST_TEXT = 1024;

    private TopicStateLayout() {}

    /** Returns a DELETE message. */
    public static ByteBuffer delete(int correlation, String topic) {
        byte[] text = LogMessageLayout.bytes(topic);
        ByteBuffer message = LogMessageLayout.begin(LogMessageType.DELETE, correlation, Short.BYTES + text.length);
        return LogMessageLayout.put(message, text).flip();
    }

    /** Returns the topic in a DELETE message. */
    public static String topicToDelete(ByteBuffer delete) {
        return LogMessageLayout.lastText(delete, LogMessageLayout.BODY);
    }

    /** Returns a DELETED message. */
    public static ByteBuffer deleted(int correlation) {
        return LogMessageLayout.begin(LogMessageType.DELETED, correlation, 0).flip();
    }

    /** Returns an EXAMINE message. */
    public static ByteBuffer examine(int correlation, String topic, int firstPartition) {
        byte[] text = LogMessageLayout.bytes(topic);
        ByteBuffer message =
                LogMessageLayout.begin(LogMessageType.EXAMINE, correlation, Integer.BYTES + Short.BYTES + text.length);
        return LogMessageLayout.put(message.putInt(firstPartition), text).flip();
    }

    /** Returns the first partition in an EXAMINE message. It can have any value. */
    public static int firstPartition(ByteBuffer examine) {
        return LogMessageLayout.at(examine, LogMessageLayout.BODY, Integer.BYTES)
                .getInt();
    }

    /** Returns the topic in an EXAMINE message. */
    public static String topic(ByteBuffer examine) {
        return LogMessageLayout.lastText(examine, TOPIC);
    }

    /**
     * Returns an EXAMINED message that contains as many partitions as the maximum length allows.
     *
     * @param topic the state of the topic; its list of partitions is ignored
     * @param partitions number of partitions of the topic
     * @param states states of the partitions, starting with the first requested one; the method takes only the states
     *     that the message contains
     */
    public static ByteBuffer examined(
            int correlation, TopicState topic, int partitions, Iterator<Partition> states, int longest) {
        ByteBuffer message =
                LogMessageLayout.begin(LogMessageType.EXAMINED, correlation, longest - LogMessageLayout.BODY);
        message.putLong(topic.id()).putLong(topic.capacity());
        TopicMessageLayout.put(message, topic.ownOptions());
        TopicMessageLayout.put(message, topic.options());
        message.putInt(partitions).position(STATES);
        int count = 0;
        while (states.hasNext() && message.remaining() >= NUMBERS_LENGTH + 2 * (Short.BYTES + LONGEST_TEXT)) {
            put(message, states.next());
            count++;
        }
        return message.putInt(COUNT, count).flip();
    }

    private static void put(ByteBuffer message, Partition state) {
        message.putLong(state.firstOffset()).putLong(state.nextOffset()).putLong(state.durableOffset());
        message.putLong(state.length()).putInt(state.segments());
        LogMessageLayout.put(message, shortened(state.leaseHolder()));
        LogMessageLayout.put(message, shortened(state.failure()));
    }

    private static byte[] shortened(String text) {
        return LogMessageLayout.bytes(text.length() > LONGEST_TEXT / 4 ? text.substring(0, LONGEST_TEXT / 4) : text);
    }

    /** Returns the number of partitions of the topic in an EXAMINED message. */
    public static int partitions(ByteBuffer examined) {
        return LogMessageLayout.at(examined, PARTITIONS, Integer.BYTES).getInt();
    }

    /** Returns the content of an EXAMINED message, including only the partitions in the message. */
    public static TopicState state(ByteBuffer examined) {
        int count = LogMessageLayout.at(examined, COUNT, Integer.BYTES).getInt();
        ByteBuffer rest = LogMessageLayout.at(examined, STATES, 0);
        List<Partition> states = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            states.add(partition(rest));
        }
        LogMessageLayout.end(rest);
        return new TopicState(
                LogMessageLayout.at(examined, LogMessageLayout.BODY, Long.BYTES).getLong(),
                LogMessageLayout.at(examined, CAPACITY, Long.BYTES).getLong(),
                TopicMessageLayout.options(
                        LogMessageLayout.at(examined, OWN_OPTIONS, TopicMessageLayout.OPTIONS_LENGTH)),
                TopicMessageLayout.options(LogMessageLayout.at(examined, OPTIONS, TopicMessageLayout.OPTIONS_LENGTH)),
                states);
    }

    private static Partition partition(ByteBuffer rest) {
        LogMessageLayout.need(rest, 0, NUMBERS_LENGTH);
        return new Partition(
                rest.getLong(),
                rest.getLong(),
                rest.getLong(),
                rest.getLong(),
                rest.getInt(),
                LogMessageLayout.text(rest),
                LogMessageLayout.text(rest));
    }
}
