package io.rocketbufs.rbmq.client;

import io.rocketbufs.rbmq.protocol.InboxName;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The messages that a publisher drops when it loses a connection, because the broker had not confirmed them. They are
 * reported in one line of the log, and to the callback for each topic.
 *
 * <p><b>Thread-safety:</b> the worker of the connection.
 */
final class DroppedMessages {
    private static final Logger LOG = LoggerFactory.getLogger(DroppedMessages.class);

    private final Map<String, Long> byTopic = new LinkedHashMap<>();
    private long replyCount;

    /** Adds the messages of a topic or inbox that have not been added yet. */
    void add(String topic, long count) {
        if (InboxName.is(topic)) {
            addReplies(count);
        } else if (count > 0) {
            byTopic.put(topic, count);
        }
    }

    /** Adds replies, which are only logged. */
    void addReplies(long count) {
        replyCount += count;
    }

    /** Logs the number of messages, if there are any. */
    void log() {
        if (!byTopic.isEmpty() || replyCount > 0) {
            LOG.warn(
                    "Dropped {}{}{}, because the broker had not confirmed them when the connection was lost",
                    byTopic.isEmpty() ? "" : messages(),
                    byTopic.isEmpty() || replyCount == 0 ? "" : " and ",
                    replyCount == 0 ? "" : number(replyCount, "reply", "replies"));
        }
    }

    private String messages() {
        long sum = byTopic.values().stream().mapToLong(Long::longValue).sum();
        String first = "\"" + byTopic.keySet().iterator().next() + "\"";
        return number(sum, "message", "messages")
                + (byTopic.size() == 1 ? " of topic " + first : " of " + byTopic.size() + " topics such as " + first);
    }

    private static String number(long count, String one, String several) {
        return count + " " + (count == 1 ? one : several);
    }

    /** Reports the messages of each topic. The callback's exceptions are logged. */
    void tell(PublisherCallback callback) {
        byTopic.forEach((topic, count) -> {
            try {
                callback.onDropped(topic, count);
            } catch (RuntimeException e) {
                LOG.error("A callback for dropped messages failed", e);
            }
        });
    }
}
