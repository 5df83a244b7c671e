package io.rocketbufs.rbmq.client;

/**
 * One publisher's buffer for a subscribed topic.
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

    /** Called when the broker reports that the publisher has left; {@code why} is empty if it closed gracefully. */
    void onRemoved(String why) {
        removed = true;
        failure = why.isEmpty() ? null : why;
    }

    /** Returns why the publisher has left, or {@code otherwise} if the broker gave no reason. */
    String failure(String otherwise) {
        return failure == null ? otherwise : failure;
    }

    /**
     * Returns true when a failure to subscribe to this buffer loses no messages, because its publisher joined before
     * this subscriber and has already left.
     */
    boolean isNoLoss() {
        return wasThereFirst && removed;
    }
}
