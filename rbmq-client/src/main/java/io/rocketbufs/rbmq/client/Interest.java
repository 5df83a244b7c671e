package io.rocketbufs.rbmq.client;

/** The information that a publisher has about the subscribers of a topic. */
enum Interest {
    /** The broker has not yet reported a number of subscribers. */
    UNKNOWN,
    /** The topic has no subscribers. */
    NONE,
    /** The topic has subscribers. */
    SOME;

    static Interest of(int subscriberCount) {
        return subscriberCount == 0 ? NONE : SOME;
    }
}
