package io.rocketbufs.rbmq.broker;

import io.rocketbufs.rbmq.protocol.TopicFilter;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The number of buffers that have left each topic. A subscriber that reconnects compares the number for its filter with
 * the departures it has seen and so detects publishers that joined and left while it was disconnected.
 *
 * <p>Topics come and go, so only the topics with the most recent departures are remembered. Departures from all other
 * topics count for every filter. A number therefore never decreases: a subscriber may detect a departure that does not
 * concern it, but never misses one.
 *
 * <p><b>Thread-safety:</b> must be called while holding the lock of {@link Topics}.
 */
final class Departures {
    private final int limit;
    private final Map<String, Long> byTopic = new LinkedHashMap<>();
    private long forgotten;

    /** Creates an empty record that remembers at most {@code limit} topics. */
    Departures(int limit) {
        this.limit = limit;
    }

    /** Counts a buffer that has left a topic, and makes the topic the most recent one. */
    void add(String topic) {
        Long before = byTopic.remove(topic);
        byTopic.put(topic, before == null ? 1 : before + 1);
        if (byTopic.size() > limit) {
            String oldest = byTopic.keySet().iterator().next();
            forgotten += byTopic.remove(oldest);
        }
    }

    /**
     * Returns the number of buffers that have left topics matching a filter, including all departures from topics no
     * longer remembered.
     */
    long count(TopicFilter filter) {
        if (!filter.isWildcard()) {
            return forgotten + byTopic.getOrDefault(filter.toString(), 0L);
        }
        long count = forgotten;
        for (Map.Entry<String, Long> each : byTopic.entrySet()) {
            if (filter.matches(each.getKey())) {
                count += each.getValue();
            }
        }
        return count;
    }
}
