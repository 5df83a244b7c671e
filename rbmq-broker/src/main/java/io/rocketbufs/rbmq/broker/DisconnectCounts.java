package io.rocketbufs.rbmq.broker;

import io.rocketbufs.rocketnet.TransportException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counters of the accepted clients that have left, by reason.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class DisconnectCounts {
    /** The reason for clients that have left gracefully or that a closing broker has disconnected gracefully. */
    static final String GRACEFUL = "graceful";
    /** The reason for clients whose session ended because of an error in the broker. */
    static final String INTERNAL = "internal";

    /** One entry for each reason; the set of reasons never changes. */
    private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();

    DisconnectCounts() {
        counts.put(GRACEFUL, new LongAdder());
        counts.put(INTERNAL, new LongAdder());
        for (TransportException.Code code : TransportException.Code.values()) {
            counts.put(label(code), new LongAdder());
        }
    }

    /** Counts a client that has left; the failure is null after a graceful close. */
    void count(Throwable failure) {
        String reason = INTERNAL;
        if (failure == null) {
            reason = GRACEFUL;
        } else if (failure instanceof TransportException known && !known.isInternal()) {
            reason = label(known.code());
        }
        counts.get(reason).increment();
    }

    private static String label(TransportException.Code code) {
        return code.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Returns the counts since the start, sorted by reason. Counts of reasons that cannot apply to accepted clients
     * stay 0.
     */
    Map<String, Long> all() {
        Map<String, Long> all = new LinkedHashMap<>();
        counts.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .forEach(entry -> all.put(entry.getKey(), entry.getValue().sum()));
        return all;
    }
}
