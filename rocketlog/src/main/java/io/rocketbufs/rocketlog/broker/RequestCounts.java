package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.rocketlog.protocol.LogMessageType;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counters of the messages that clients have sent, by type. Each message is counted once, in one counter, before it is
 * handled, so the difference between two readings is never negative.
 *
 * <p><i>Thread-safety:</i> any thread. Counting does not block.
 */
final class RequestCounts {
    private static final Set<LogMessageType> TYPES = EnumSet.of(
            LogMessageType.DESCRIBE,
            LogMessageType.CREATE,
            LogMessageType.PRODUCE,
            LogMessageType.OPEN,
            LogMessageType.CLOSE,
            LogMessageType.ACQUIRE,
            LogMessageType.DELETE,
            LogMessageType.EXAMINE,
            LogMessageType.WAIT);

    private final Map<LogMessageType, LongAdder> counts = new EnumMap<>(LogMessageType.class);

    RequestCounts() {
        TYPES.forEach(type -> counts.put(type, new LongAdder()));
    }

    /** Counts a message. Returns false if clients must not send messages of its type. */
    boolean add(LogMessageType type) {
        LongAdder count = counts.get(type);
        if (count == null) {
            return false;
        }
        count.increment();
        return true;
    }

    /** Returns the number of messages of a type that clients send. */
    long count(LogMessageType type) {
        return counts.get(type).sum();
    }

    /** Returns the number of messages of all types. */
    long sum() {
        return counts.values().stream().mapToLong(LongAdder::sum).sum();
    }

    /** Returns the counts by the types' names in lower case. */
    Map<String, Long> all() {
        Map<String, Long> all = new LinkedHashMap<>();
        counts.forEach((type, count) -> all.put(type.name().toLowerCase(Locale.ROOT), count.sum()));
        return all;
    }
}
