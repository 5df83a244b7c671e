package io.rocketbufs.rbmq.client;

/** A handler for a topic's messages. */
@FunctionalInterface
public interface MessageHandler {
    /**
     * Called for each message. The messages of one publisher arrive in the order in which it published them. Called on
     * the connection's worker, where it must not block, or on the subscription's executor. If this method throws an
     * exception, the exception is counted and reported to {@link SubscriberCallback#onError}. The message counts as
     * consumed, and delivery continues with the next one.
     *
     * @param message the message, which is valid until this method returns
     */
    void onMessage(Message message);
}
