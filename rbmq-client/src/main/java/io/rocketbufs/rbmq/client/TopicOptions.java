package io.rocketbufs.rbmq.client;

/**
 * A publisher's requests to the broker concerning one topic. Start with {@link #DEFAULTS}.
 *
 * @param keepsLast whether the broker keeps the last message of the topic for later subscriptions, even after the
 *     publisher has left: see {@link #withKeepLast}
 */
public record TopicOptions(boolean keepsLast) {
    /** The default: the broker's configuration decides what it keeps. */
    public static final TopicOptions DEFAULTS = new TopicOptions(false);

    /**
     * Returns a copy that requests, or does not request, that the broker keeps the last message of the topic, as
     * {@code keep = last} in the broker's configuration does. Subscriptions that begin with
     * {@link SubscriptionStart#LAST} receive it even if this publisher has left, until the next message of a publisher
     * that requests the same. Without this request, the configuration decides.
     *
     * <p>If the broker does not support this, it counts as refused: {@link TopicPublisher#announced} fails, and
     * publishing returns {@link PublishResult#REFUSED}.
     */
    public TopicOptions withKeepLast(boolean on) {
        return new TopicOptions(on);
    }
}
