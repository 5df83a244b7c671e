package io.rocketbufs.rbmq.broker;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * The numbers of refusals because of a missing or wrong token, a missing right, a limit, or a missing greeting.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class RefusalCounts {
    private final Map<Reason, LongAdder> counts = new EnumMap<>(Reason.class);

    /** Why a client or its request was refused. */
    enum Reason {
        /** The client presented no token. */
        NO_TOKEN,
        /** No user has the token that the client presented. */
        WRONG_TOKEN,
        /** The user has as many connections as its max-connections allows. */
        MAX_CONNECTIONS,
        /** All clients together have as many connections as allowed. */
        CONNECTIONS,
        /** More connections than allowed had sent no greeting, and this was the oldest. */
        UNGREETED,
        /** The client has sent no greeting in time. */
        GREETING_TIMEOUT,
        /** The publisher, or all publishers together, have as many topics as allowed. */
        TOPICS,
        /** The subscriber, or all subscribers together, have as many subscriptions as allowed. */
        SUBSCRIPTIONS,
        /** The process uses as much memory as allowed. */
        MEMORY,
        /** The user may not publish to the topic. */
        PUBLISH,
        /** The user may not subscribe to the topic, or not to all topics that match the filter. */
        SUBSCRIBE,
        /** A request to the admin interface presented no administrator's token, or came from another site. */
        ADMIN;

        /** Returns the name in metrics and statistics, such as {@code no-token}. */
        String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    RefusalCounts() {
        for (Reason reason : Reason.values()) {
            counts.put(reason, new LongAdder());
        }
    }

    void count(Reason reason) {
        counts.get(reason).increment();
    }

    /** Returns the numbers since the start, by {@link Reason#label}. */
    Map<String, Long> all() {
        Map<String, Long> all = new LinkedHashMap<>();
        counts.forEach((reason, count) -> all.put(reason.label(), count.sum()));
        return all;
    }
}
