package io.rocketbufs.rbmq.client;

/** Is told about a topic's messages. */
@FunctionalInterface
public interface MessageHandler {
    /**
     * A message arrived; those of one publisher come in its order. Called on the connection's worker; must not block.
     * What it throws is reported to {@link SubscriberCallback#onError} and counted; the message counts as consumed, and
     * the next one comes.
     *
     * @param message valid until this returns
     */
    void onMessage(Message message);
}
