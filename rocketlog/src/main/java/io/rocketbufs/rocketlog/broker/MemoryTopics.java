package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.rocketlog.broker.LogTopics.RefusedException;
import io.rocketbufs.rocketlog.log.LogException;
import io.rocketbufs.rocketlog.log.MemoryLogs;
import io.rocketbufs.rocketlog.log.PartitionLog;
import io.rocketbufs.rocketlog.protocol.LogRefusal;
import io.rocketbufs.rocketlog.protocol.LogTopicName;
import io.rocketbufs.rocketlog.protocol.TopicMessageLayout;
import io.rocketbufs.rocketlog.record.RingLayout;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The logs of all topics in memory, and the total memory that these logs use.
 *
 * <p><i>Thread-safety:</i> only one thread at a time may create or remove logs; any thread may read. <i>Ownership:</i>
 * owns the logs.
 */
final class MemoryTopics implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MemoryTopics.class);
    /** An upper bound for the number of offsets that a partition uses in one millisecond. */
    private static final long OFFSETS_PER_MS = 100_000;

    private final MemoryLogs logs;
    private final LogBrokerSettings.Memory settings;
    private volatile long usedBytes;

    MemoryTopics(MemoryLogs logs, LogBrokerSettings.Memory settings) {
        this.logs = logs;
        this.settings = settings;
    }

    /** Returns the total memory that all topics use, in bytes. */
    long usedBytes() {
        return usedBytes;
    }

    /** Returns the limit of {@link #usedBytes}. */
    long limit() {
        return settings.limit();
    }

    /**
     * Returns the capacity that each partition of a topic will have.
     *
     * @param requested requested number of bytes, or {@link TopicMessageLayout#DEFAULT_CAPACITY}
     * @throws RefusedException if the capacity is too small or too large
     */
    long capacity(String topic, long requested) throws RefusedException {
        boolean isDefault = requested == TopicMessageLayout.DEFAULT_CAPACITY;
        try {
            return logs.capacity(isDefault ? settings.capacity() : requested);
        } catch (IllegalArgumentException e) {
            String key = isDefault ? "rocketlog.memory." : "";
            throw new RefusedException(
                    LogRefusal.INVALID,
                    "topic " + topic + ": " + key + e.getMessage(),
                    isDefault ? "change the setting, or request another capacity" : "request another capacity");
        }
    }

    /**
     * Creates the empty logs of a topic. If one of the logs cannot be created, creates none.
     *
     * @param capacity as returned by {@link #capacity}
     * @param firstOffset offset of the first record
     * @throws RefusedException if the limit would be exceeded, or the machine has too little memory
     */
    List<PartitionLog> create(String topic, int partitions, long capacity, long firstOffset) throws RefusedException {
        long available = settings.limit() - usedBytes;
        if (capacity > available / partitions) {
            throw new RefusedException(
                    LogRefusal.LIMIT,
                    "topic " + topic + ": partitions=" + partitions + " with capacity=" + capacity
                            + " bytes each exceed rocketlog.memory.limit=" + settings.limit()
                            + " bytes, of which other topics use " + usedBytes,
                    "use a smaller capacity or fewer partitions, or raise the limit");
        }
        List<PartitionLog> created = new ArrayList<>();
        try {
            for (int i = 0; i < partitions; i++) {
                created.add(logs.create(LogTopicName.partition(topic, i), capacity, firstOffset));
            }
        } catch (LogException e) {
            throw new RefusedException(
                    LogRefusal.STORAGE, "topic " + topic + ": " + e.getMessage(), "then create the topic again");
        } finally {
            if (created.size() < partitions) {
                created.forEach(logs::remove);
            }
        }
        usedBytes += capacity * partitions;
        return created;
    }

    /**
     * Removes a log. Its memory immediately stops counting towards {@link #usedBytes}, and is freed within a few
     * seconds after the last client has lost access to it. No thread may be appending to the log.
     */
    void remove(PartitionLog log) {
        usedBytes -= (long) RingLayout.SEGMENTS * log.ringSegmentLength();
        logs.remove(log);
    }

    /**
     * Returns the first offset of a topic in memory that is recreated because the broker has restarted. The offset is
     * computed from the clock, because earlier offsets are not stored, and is higher than all of them. Consumers
     * therefore cannot mistake new records for old ones.
     */
    static long firstOffset(String topic, long createdMs, long nowMs) {
        if (nowMs < createdMs) {
            LOG.warn(
                    "Topic {}: the clock is {} ms behind the time when the topic was created, so offsets are reused;"
                            + " correct the clock, and restart the broker",
                    topic,
                    createdMs - nowMs);
        }
        return Math.max(0, nowMs - createdMs) * OFFSETS_PER_MS;
    }

    /** Closes all logs. Memory that clients can still read is freed when these clients have disconnected. */
    @Override
    public void close() {
        logs.close();
    }
}
