package io.rocketbufs.rbmq.protocol;

/**
 * The feature bits. A client and a broker send them to each other to state which optional parts of the protocol they
 * support. Each side ignores bits that it does not know.
 */
public final class Features {
    /** The broker tells publishers whether their topics have subscribers: {@link RbmqType#INTEREST}. */
    public static final long INTEREST = 1;

    /** Filters with wildcards in TOPIC_SUBSCRIBE, several subscriptions that match a topic, and TOPIC_BUFFERS. */
    public static final long FILTERS = 1L << 1;

    /** Bit of a side that accepts messages with headers. A broker passes them on without reading them. */
    public static final long HEADERS = 1L << 2;

    /**
     * The broker tells subscribers how many publishers' buffers have left the topics of a subscription:
     * {@link RbmqType#DEPARTURES}.
     */
    public static final long DEPARTURES = 1L << 3;

    /** Groups of subscribers that share the messages of a topic or filter: {@link RbmqType#GROUP_SUBSCRIBE}. */
    public static final long GROUPS = 1L << 5;

    /** The feature bits of this version. */
    public static final long SUPPORTED = INTEREST | FILTERS | HEADERS | DEPARTURES | GROUPS;

    private Features() {}

    /** Returns true when a peer's feature bits include all of the given ones. */
    public static boolean include(long features, long wanted) {
        return (features & wanted) == wanted;
    }
}
