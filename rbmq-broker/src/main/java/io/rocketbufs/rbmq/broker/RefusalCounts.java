package io.rocketbufs.rbmq.broker;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counters of the refusals caused by a missing or wrong token, a missing right, a limit, or a missing greeting.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class RefusalCounts {
    private final Map<Reason, LongAdder> counts = new EnumMap<>(Reason.class);

    /** The reason for which a client or its request was refused. */
    enum Reason {
        /** The client presented no token, although one is required. */
        NO_TOKEN,
        /** The token that the client presented belongs to no user. */
        WRONG_TOKEN,
        /** The user already has as many connections as its max-connections allows. */
        MAX_CONNECTIONS,
        /** The number of connections across all clients has reached its maximum. */
        CONNECTIONS,
        /** Too many connections had not sent a greeting, and this connection was the oldest of them. */
        UNGREETED,
        /** The client did not send a greeting in time. */
        GREETING_TIMEOUT,
        /** The number of topics of the client, or across all publishers, has reached its maximum. */
        TOPICS,
        /** The filter matches more topics than allowed. */
        TOPICS_PER_FILTER,
        /** The number of subscriptions of the subscriber, or across all subscribers, has reached its maximum. */
        SUBSCRIPTIONS,
        /** The number of buffers that the subscriber reads as a member of groups has reached its maximum. */
        SHARES_PER_CONNECTION,
        /** The publisher's buffer has a larger capacity than allowed. */
        MAX_CAPACITY,
        /** The process uses more memory than allowed. */
        MEMORY,
        /** The user may not publish to the topic. */
        PUBLISH,
        /** The user may not subscribe to the topic, or to every topic that matches the filter. */
        SUBSCRIBE,
        /** A request to the admin interface had no administrator's token, or came from another site. */
        ADMIN;

        /** Returns the reason's name in metrics and statistics, such as {@code no-token}. */
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

    /** Returns the counts since the start, by {@link Reason#label}. */
    Map<String, Long> all() {
        Map<String, Long> all = new LinkedHashMap<>();
        counts.forEach((reason, count) -> all.put(reason.label(), count.sum()));
        return all;
    }
}
