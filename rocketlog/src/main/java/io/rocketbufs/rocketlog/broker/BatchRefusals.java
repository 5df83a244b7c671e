package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.rocketlog.protocol.AppendResult;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counters of the batches that the broker refused to append, by reason.
 *
 * <p><i>Thread-safety:</i> any thread. Counting does not block.
 */
final class BatchRefusals {
    private final Map<Reason, LongAdder> counts = new EnumMap<>(Reason.class);

    /** The reason for which a batch was refused. */
    enum Reason {
        /** The batch is invalid, or exceeds a limit. */
        INVALID,
        /** The sequence of the batch does not follow that of the producer's last batch in the log. */
        OUT_OF_ORDER,
        /** A producer with the same id and a later epoch has appended. */
        FENCED,
        /** The disk is full, or the broker has no free file descriptor. */
        STORAGE_FULL,
        /** The partition's log has failed or is closed. */
        FAILED,
        /** The topic was deleted. */
        TOPIC_DELETED;

        /** Returns the reason's name in metrics and in the status, such as {@code storage-full}. */
        String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        private static Reason of(long result) {
            if (result == AppendResult.OUT_OF_ORDER) {
                return OUT_OF_ORDER;
            }
            if (result == AppendResult.FENCED) {
                return FENCED;
            }
            if (result == AppendResult.STORAGE_FULL) {
                return STORAGE_FULL;
            }
            if (result == AppendResult.FAILED) {
                return FAILED;
            }
            return result == AppendResult.TOPIC_DELETED ? TOPIC_DELETED : INVALID;
        }
    }

    BatchRefusals() {
        for (Reason reason : Reason.values()) {
            counts.put(reason, new LongAdder());
        }
    }

    /** Counts a batch with the negative {@link AppendResult} that its producer receives. */
    void add(long result) {
        counts.get(Reason.of(result)).increment();
    }

    /** Returns the number of batches that were refused for a reason. */
    long count(Reason reason) {
        return counts.get(reason).sum();
    }

    /** Returns the number of batches that were refused for any reason. */
    long sum() {
        return counts.values().stream().mapToLong(LongAdder::sum).sum();
    }

    /** Returns the counts by {@link Reason#label}. */
    Map<String, Long> all() {
        Map<String, Long> all = new LinkedHashMap<>();
        counts.forEach((reason, count) -> all.put(reason.label(), count.sum()));
        return all;
    }
}
