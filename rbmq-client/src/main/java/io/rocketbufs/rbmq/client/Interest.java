package io.rocketbufs.rbmq.client;

/** A publisher's knowledge about the subscribers of a topic. */
enum Interest {
    /** The broker has not reported any number yet. */
    UNKNOWN,
    /** The topic has no subscribers. */
    NONE,
    /** The topic has subscribers. */
    SOME;

    static Interest of(int subscriberCount) {
        return subscriberCount == 0 ? NONE : SOME;
    }
}
