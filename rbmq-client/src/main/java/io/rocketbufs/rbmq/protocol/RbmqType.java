package io.rocketbufs.rbmq.protocol;

/** The types of messages between clients and broker, with their codes in the header. */
public enum RbmqType {
    /** Publisher to broker: announces a topic. {@link AnnounceLayout}. */
    ANNOUNCE(1),
    /** Broker to publisher: the topic accepts messages. {@link NoticeLayout}: buffer id and publisher number. */
    ANNOUNCED(2),
    /**
     * Broker to publisher: the topic does not accept messages or, after ANNOUNCED, no longer accepts messages.
     * {@link NoticeLayout}: buffer id, reason.
     */
    ANNOUNCE_REFUSED(3),
    /** Subscriber to broker: requests the buffers of the topics that match a filter. {@link TopicLayout}. */
    TOPIC_SUBSCRIBE(4),
    /** Subscriber to broker: ends a subscription. {@link NoticeLayout}: subscription. */
    TOPIC_UNSUBSCRIBE(5),
    /**
     * Broker to subscriber, in response to TOPIC_UNSUBSCRIBE: the broker sends nothing further for the subscription.
     * {@link NoticeLayout}: subscription.
     */
    TOPIC_UNSUBSCRIBED(6),
    /**
     * Broker to subscriber: the subscription is refused. After TOPIC_LISTED: a topic that matches the filter exceeds a
     * limit and is omitted, but the subscription continues. {@link NoticeLayout}: subscription, reason.
     */
    TOPIC_REFUSED(7),
    /** Broker to subscriber: buffers that have joined the topic. {@link BuffersLayout}. */
    BUFFERS_ADDED(8),
    /**
     * Broker to subscriber: a buffer has ended. {@link NoticeLayout}: subscription, buffer id, publisher, reason if
     * any.
     */
    BUFFER_REMOVED(9),
    /**
     * Broker to subscriber: the broker has sent the ids of all buffers that the matching topics had when the
     * subscription began. {@link NoticeLayout}: subscription.
     */
    TOPIC_LISTED(10),
    /**
     * Subscriber to broker: a frame was malformed. {@link NoticeLayout}: subscription, buffer id, publisher,
     * description.
     */
    MALFORMED(11),
    /**
     * Broker to client, usually the broker's first message on each connection: introduces the broker.
     * {@link WelcomeLayout}.
     */
    WELCOME(12),
    /**
     * Broker to publisher, if the publisher has {@link Features#INTEREST}: the number of subscribers of a topic. Sent
     * before ANNOUNCED, and when the number changes from or to 0. {@link InterestLayout}.
     */
    INTEREST(13),
    /**
     * Broker to subscriber: buffers that have joined one of the topics that match a filter with wildcards. Requires
     * {@link Features#FILTERS}. {@link TopicBuffersLayout}.
     */
    TOPIC_BUFFERS(14),
    /**
     * Broker to subscriber, if the subscriber has {@link Features#DEPARTURES}, immediately before TOPIC_LISTED: the
     * number of buffers that have left the topics matching the subscription's filter. {@link DeparturesLayout}.
     */
    DEPARTURES(15),
    /**
     * Broker to client, if the client has {@link Features#SLOW}: a subscriber has started or stopped delaying a
     * publisher. Sent to the subscriber and to the publisher. {@link SlowLayout}.
     */
    SLOW(17),
    /**
     * Subscriber to broker: requests a share of the messages of the topics that match a filter. Each message goes to
     * one of the subscriptions with the same filter and group. The broker answers as it does to TOPIC_SUBSCRIBE, but
     * each buffer belongs to this subscriber alone, and neither DEPARTURES nor KEPT is sent. Requires
     * {@link Features#GROUPS}. {@link GroupLayout}.
     */
    GROUP_SUBSCRIBE(18),
    /**
     * Broker to subscriber, if the subscriber has {@link Features#KEPT}, before TOPIC_LISTED: a topic that matches the
     * subscription's filter, and the buffer that contains its last message, whose publisher has left.
     * {@link TopicBuffersLayout}.
     */
    KEPT(20),
    /**
     * Broker to client, if the client has {@link Features#OFFERS}, as the first message instead of WELCOME: the
     * listeners that may suit this client better than the one to which it is connected. {@link OffersLayout}.
     */
    OFFERS(21),
    /**
     * Client to broker, in response to OFFERS: the client keeps this connection, and WELCOME follows.
     * {@link NoticeLayout}: the reason why it accepts none of the offers.
     */
    STAY(22),
    /**
     * Client to broker, in response to OFFERS: the client will use another connection. The broker closes this one,
     * which no longer counts towards the limits of the client's user. {@link NoticeLayout}.
     */
    LEAVE(23);

    private static final RbmqType[] BY_CODE = new RbmqType[24];

    static {
        for (RbmqType type : values()) {
            BY_CODE[type.code] = type;
        }
    }

    private final byte code;

    RbmqType(int code) {
        this.code = (byte) code;
    }

    byte code() {
        return code;
    }

    /** Returns the type with the given code; null if there is none. */
    static RbmqType of(int code) {
        return code < BY_CODE.length ? BY_CODE[code] : null;
    }
}
