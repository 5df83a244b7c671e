package io.rocketbufs.rbmq.protocol;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The feature bits, by which a client and a broker tell each other which optional parts of the protocol they support.
 * Each side ignores bits that it does not recognize.
 */
public final class Features {
    /** The broker reports to publishers whether their topics have subscribers: {@link RbmqType#INTEREST}. */
    public static final long INTEREST = 1;

    /** Filters with wildcards in TOPIC_SUBSCRIBE, several subscriptions that match a topic, and TOPIC_BUFFERS. */
    public static final long FILTERS = 1L << 1;

    /** A side with this bit accepts messages with headers. The broker passes headers on without reading them. */
    public static final long HEADERS = 1L << 2;

    /**
     * The broker reports to subscribers how many publishers' buffers have left the topics of a subscription:
     * {@link RbmqType#DEPARTURES}.
     */
    public static final long DEPARTURES = 1L << 3;

    /** The broker reports to subscribers and publishers that a subscriber delays a publisher: {@link RbmqType#SLOW}. */
    public static final long SLOW = 1L << 4;

    /** Groups of subscribers that share the messages of a topic or filter: {@link RbmqType#GROUP_SUBSCRIBE}. */
    public static final long GROUPS = 1L << 5;

    /**
     * The broker keeps the last messages of departed publishers for topics whose publishers or rules request it, and
     * offers them to subscribers: {@link RbmqType#KEPT}.
     */
    public static final long KEPT = 1L << 6;

    /**
     * A client with this bit selects its transport automatically. Before WELCOME, a broker with this bit sends such a
     * client its other listeners: {@link RbmqType#OFFERS}.
     */
    public static final long OFFERS = 1L << 7;

    /** The feature bits of this version. A client whose configuration names its transport does not set OFFERS. */
    public static final long SUPPORTED = INTEREST | FILTERS | HEADERS | DEPARTURES | SLOW | GROUPS | KEPT | OFFERS;

    private static final SortedMap<Long, String> NAMES = new TreeMap<>(Map.of(
            INTEREST,
            "interest",
            FILTERS,
            "filters",
            HEADERS,
            "headers",
            DEPARTURES,
            "departures",
            SLOW,
            "slow",
            GROUPS,
            "groups",
            KEPT,
            "kept",
            OFFERS,
            "offers"));

    private Features() {}

    /** Returns the names of the features in the bits, such as {@code filters}, ignoring unknown bits. */
    public static List<String> names(long features) {
        return NAMES.entrySet().stream()
                .filter(entry -> include(features, entry.getKey()))
                .map(Map.Entry::getValue)
                .toList();
    }

    /** Returns true if a peer's feature bits include all of the given bits. */
    public static boolean include(long features, long wanted) {
        return (features & wanted) == wanted;
    }
}
