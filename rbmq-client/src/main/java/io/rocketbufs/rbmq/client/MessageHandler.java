package io.rocketbufs.rbmq.client;

/** A handler of a topic's messages. */
@FunctionalInterface
public interface MessageHandler {
    /**
     * Called for each message; the messages of one publisher arrive in the order in which it published them. Called on
     * the connection's worker, where it must not block, or on the subscription's executor. An exception is counted and
     * reported to {@link SubscriberCallback#onError}; the message counts as consumed, and delivery continues with the
     * next one.
     *
     * @param message valid until this method returns
     */
    void onMessage(Message message);
}
