package io.rocketbufs.rbmq.client;

/**
 * One publisher's buffer of a subscribed topic.
 *
 * <p><b>Thread-safety:</b> the connection's worker.
 */
final class PublisherBuffer {
    private final TopicSubscription subscription;
    private final int bufferId;
    private final int publisher;
    private final boolean wasThereFirst;
    private final FrameReader frames;
    private boolean removed;
    private String failure;

    PublisherBuffer(TopicSubscription subscription, int bufferId, int publisher, FrameReader frames) {
        this.subscription = subscription;
        this.bufferId = bufferId;
        this.publisher = publisher;
        this.wasThereFirst = !subscription.isListed();
        this.frames = frames;
    }

    TopicSubscription subscription() {
        return subscription;
    }

    String topic() {
        return subscription.topic();
    }

    int bufferId() {
        return bufferId;
    }

    int publisher() {
        return publisher;
    }

    FrameReader frames() {
        return frames;
    }

    /** The broker says that the publisher has left, and why if not in good order. */
    void onRemoved(String why) {
        removed = true;
        failure = why.isEmpty() ? null : why;
    }

    /** Why the publisher has left, as far as is known. */
    String failure(String otherwise) {
        return failure == null ? otherwise : failure;
    }

    /** True when nothing was promised of it: it was there before us, and gone before we came. */
    boolean isNoLoss() {
        return wasThereFirst && removed;
    }
}
