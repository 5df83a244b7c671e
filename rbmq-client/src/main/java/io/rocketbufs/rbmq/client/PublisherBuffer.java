package io.rocketbufs.rbmq.client;

import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.options.Start;
import io.rocketbufs.rbmq.protocol.InboxName;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * One publisher's buffer for a topic, and the subscriptions that receive its messages.
 *
 * <pre>
 *   READING ---a subscription takes none---&gt; BEHIND ---all that waits is read---&gt; READING
 * </pre>
 *
 * In READING, each transfer is read as it arrives. In BEHIND, transfers, gaps, new subscriptions and the buffer's end
 * wait, and are handled later in the order in which they arrived.
 *
 * <p><b>Thread-safety:</b> the connection's worker.
 */
final class PublisherBuffer {
    private final String topic;
    private final boolean isInbox;
    private final int bufferId;
    private final int publisher;
    private final SlowPolicy policy;
    private final FrameReader frames;
    private final Recipients.HandlerFailure onFailure;
    private final Start start;
    private final List<Subscription> subscriptions = new ArrayList<>(1);

    /** True when the broker has answered the request for this buffer. */
    private boolean settled;
    /** True when each subscription was told of this buffer before it was live. */
    private boolean joinedBeforeAll = true;

    /** True while this subscriber delays the publisher. */
    private boolean isDelayed;

    private boolean removed;
    private String failure;

    /** Number of bytes that were missing so far and have been reported. */
    private long lostLength;

    /** What waits in BEHIND; null in READING. */
    private Unread<Subscription> unread;

    /**
     * Creates a buffer without subscriptions.
     *
     * @param policy policy that the broker applies when this buffer is read slowly; null leaves the choice to the
     *     broker
     * @param start where to begin; a position continues after a lost connection
     */
    PublisherBuffer(
            String topic,
            int bufferId,
            int publisher,
            SlowPolicy policy,
            Start start,
            Recipients.HandlerFailure onFailure) {
        this.topic = topic;
        this.isInbox = InboxName.is(topic);
        this.policy = policy;
        this.start = start;
        this.bufferId = bufferId;
        this.publisher = publisher;
        this.frames = new FrameReader(topic, publisher);
        this.onFailure = onFailure;
    }

    String topic() {
        return topic;
    }

    /** Returns true when the topic is this client's inbox. */
    boolean isInbox() {
        return isInbox;
    }

    int bufferId() {
        return bufferId;
    }

    int publisher() {
        return publisher;
    }

    SlowPolicy policy() {
        return policy;
    }

    Start start() {
        return start;
    }

    /** Records whether this subscriber delays the publisher; returns true when that has changed. */
    boolean setDelayed(boolean delayed) {
        boolean changed = isDelayed != delayed;
        isDelayed = delayed;
        return changed;
    }

    FrameReader frames() {
        return frames;
    }

    /** Returns the subscriptions that receive this buffer's messages, or will do so after those that wait. */
    List<Subscription> subscriptions() {
        return Collections.unmodifiableList(subscriptions);
    }

    /**
     * Adds a subscription.
     *
     * @param position position of the first byte that has not arrived yet. In BEHIND, the subscription receives the
     *     messages from there on, because those that wait were published before it began
     */
    void attach(Subscription subscription, long position) {
        subscriptions.add(subscription);
        subscription.request().buffers().add(this);
        if (unread != null) {
            subscription.request().behind().add(this);
        }
        joinedBeforeAll &= !subscription.request().isListed();
        if (!settled) {
            subscription.request().unsettled();
        }
        if (unread != null) {
            unread.addBeginning(position, subscription);
        }
        setRecipients();
    }

    /** Removes a subscription; returns true when no other is left. */
    boolean detach(Subscription subscription) {
        subscriptions.remove(subscription);
        subscription.request().buffers().remove(this);
        subscription.request().behind().remove(this);
        if (unread != null) {
            unread.remove(subscription);
        }
        setRecipients();
        return subscriptions.isEmpty();
    }

    /** Called when the recipients of the next message may have changed. */
    void setRecipients() {
        frames.handTo(Recipients.of(receiving(), onFailure));
    }

    /** Returns the subscriptions that receive the next message. */
    List<Subscription> receiving() {
        return unread == null
                ? subscriptions()
                : subscriptions.stream()
                        .filter(each -> !unread.isBeginning(each))
                        .toList();
    }

    /**
     * Called when the broker has answered the request for this buffer. The caller reports that to the subscriptions.
     */
    void settle() {
        settled = true;
    }

    /** Returns true when the broker has accepted or refused the request for this buffer. */
    boolean isSettled() {
        return settled;
    }

    /** Returns true when a subscription is paused, so that nothing may be handed over. */
    boolean isPaused() {
        return !frames.takes() && !isDeserted();
    }

    /** Returns true when all subscriptions are closed. */
    boolean isDeserted() {
        return subscriptions.stream().allMatch(Subscription::isLeft);
    }

    /** Called when the broker reports that the publisher has left; {@code why} is empty if it closed gracefully. */
    void onRemoved(String why) {
        removed = true;
        failure = why.isEmpty() ? null : why;
    }

    /** Returns true when the broker has reported that the publisher has left. */
    boolean isRemoved() {
        return removed;
    }

    /** Returns why the publisher has left, or {@code otherwise} if the broker gave no reason. */
    String failure(String otherwise) {
        return failure == null ? otherwise : failure;
    }

    /**
     * Returns true when a failure to subscribe to this buffer loses no messages, because its publisher joined before
     * all subscriptions and has already left.
     */
    boolean losesNothing() {
        return joinedBeforeAll && removed;
    }

    // Losses.

    /** Returns the number of bytes that were missing so far and have been reported. */
    long lostLength() {
        return lostLength;
    }

    /** Called when missing bytes are reported. */
    void lost(long length) {
        lostLength += length;
    }

    /**
     * Returns a gap in the messages of this buffer's publisher.
     *
     * @param position number of bytes that have arrived before it over this connection
     */
    Gap gapAt(long position, long length) {
        // What is missing before the first byte was published before this connection could receive it.
        return gap(length, position == 0 && start.isPosition() ? Gap.Reason.RECONNECTED : Gap.Reason.SKIPPED);
    }

    /** Returns a gap in the messages of this buffer's publisher. */
    Gap gap(long length, Gap.Reason reason) {
        return new Gap(topic, publisher, length, reason);
    }

    // What waits while a subscription is paused.

    boolean isBehind() {
        return unread != null;
    }

    /** Returns what waits; null in READING. */
    Unread<Subscription> unread() {
        return unread;
    }

    /** Makes the messages that have not been read wait, and everything that follows them. */
    void fallBehind() {
        if (unread == null) {
            unread = new Unread<>();
            subscriptions.forEach(
                    subscription -> subscription.request().behind().add(this));
        }
    }

    /** Called when everything that waited has been read. */
    void catchUp() {
        unread = null;
        subscriptions.forEach(subscription -> subscription.request().behind().remove(this));
    }
}
