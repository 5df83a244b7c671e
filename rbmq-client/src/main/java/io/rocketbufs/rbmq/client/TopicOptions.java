package io.rocketbufs.rbmq.client;

/**
 * The features that a publisher requests from the broker for one topic. Start with {@link #DEFAULTS}.
 *
 * @param keepsLast whether the broker keeps the last message of the topic for later subscriptions, even after the
 *     publisher has left: see {@link #withKeepLast}
 */
public record TopicOptions(boolean keepsLast) {
    /** The default options, with which the broker's configuration decides whether the last message is kept. */
    public static final TopicOptions DEFAULTS = new TopicOptions(false);

    /**
     * Returns a copy that requests, or does not request, that the broker keep the last message of the topic, as
     * {@code keep = last} in the broker's configuration does. Subscriptions that start with
     * {@link SubscriptionStart#LAST} then receive that message even after this publisher has left, until a publisher
     * with the same request publishes another message. Without this request, the broker's configuration decides.
     *
     * <p>If the broker does not support this feature, it refuses the topic: {@link TopicPublisher#announced} fails, and
     * publishing returns {@link PublishResult#REFUSED}.
     */
    public TopicOptions withKeepLast(boolean on) {
        return new TopicOptions(on);
    }
}
