package io.rocketbufs.rbmq.client;

import io.rocketbufs.options.SlowPolicy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;

/**
 * One publisher's buffer for a topic, and the subscriptions that receive its messages.
 *
 * <pre>
 *   READING ---a subscription is paused---&gt; BEHIND ---all that waits is read---&gt; READING
 * </pre>
 *
 * In READING, each transfer is read as it arrives. In BEHIND, transfers, gaps and the buffer's end wait, and are
 * handled later in the order in which they arrived.
 *
 * <p><b>Thread-safety:</b> the connection's worker.
 */
final class PublisherBuffer {
    private final String topic;
    private final int bufferId;
    private final int publisher;
    private final SlowPolicy policy;
    private final FrameReader frames;
    private final Recipients.HandlerFailure onFailure;
    private final List<Subscription> subscriptions = new ArrayList<>(1);

    /** True when the broker has answered the request for this buffer. */
    private boolean settled;
    /** True when each subscription was told of this buffer before it was live. */
    private boolean wasThereFirst = true;

    private boolean removed;
    private String failure;

    private boolean behind;
    /** The gaps that wait; null until there is one. */
    private Deque<Gap> gaps;
    /** The end that waits; null while there is none. */
    private End end;

    /**
     * A gap.
     *
     * @param position position of the first byte after the gap
     * @param lostLength bytes skipped, including headers
     */
    record Gap(long position, long lostLength) {}

    /**
     * The end of the buffer.
     *
     * @param failure null when it ended gracefully
     */
    record End(String failure) {}

    /**
     * Creates a buffer without subscriptions.
     *
     * @param policy policy that the broker applies when this buffer is read slowly; null leaves the choice to the
     *     broker
     */
    PublisherBuffer(String topic, int bufferId, int publisher, SlowPolicy policy, Recipients.HandlerFailure onFailure) {
        this.topic = topic;
        this.policy = policy;
        this.bufferId = bufferId;
        this.publisher = publisher;
        this.frames = new FrameReader(topic, publisher);
        this.onFailure = onFailure;
    }

    String topic() {
        return topic;
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

    FrameReader frames() {
        return frames;
    }

    /** Returns the subscriptions that receive this buffer's messages. */
    List<Subscription> subscriptions() {
        return Collections.unmodifiableList(subscriptions);
    }

    /** Adds a subscription, which receives the messages that are read from now on. */
    void attach(Subscription subscription) {
        subscriptions.add(subscription);
        subscription.buffers().add(this);
        wasThereFirst &= !subscription.isListed();
        if (!settled) {
            subscription.unsettled();
        }
        frames.handTo(Recipients.of(subscriptions, onFailure));
    }

    /** Removes a subscription; returns true when no other is left. */
    boolean detach(Subscription subscription) {
        subscriptions.remove(subscription);
        subscription.buffers().remove(this);
        if (!subscriptions.isEmpty()) {
            frames.handTo(Recipients.of(subscriptions, onFailure));
        }
        return subscriptions.isEmpty();
    }

    /**
     * Called when the broker has answered the request for this buffer. The caller reports that to the subscriptions.
     */
    void settle() {
        settled = true;
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

    /** Returns why the publisher has left, or {@code otherwise} if the broker gave no reason. */
    String failure(String otherwise) {
        return failure == null ? otherwise : failure;
    }

    /**
     * Returns true when a failure to subscribe to this buffer loses no messages, because its publisher joined before
     * all subscriptions and has already left.
     */
    boolean isNoLoss() {
        return wasThereFirst && removed;
    }

    // What waits while a subscription is paused.

    boolean isBehind() {
        return behind;
    }

    /** Makes the messages that have not been read wait, and everything that follows them. */
    void fallBehind() {
        behind = true;
    }

    /** Called when everything that waited has been read. */
    void catchUp() {
        behind = false;
    }

    /** Makes a gap wait until all messages before a position have been read. */
    void addGap(long position, long lostLength) {
        if (gaps == null) {
            gaps = new ArrayDeque<>(1);
        }
        Gap last = gaps.peekLast();
        if (last != null && last.position == position) {
            gaps.removeLast();
            gaps.add(new Gap(position, last.lostLength + lostLength));
        } else {
            gaps.add(new Gap(position, lostLength));
        }
    }

    /** Returns the position of the first gap that waits; {@link Long#MAX_VALUE} when there is none. */
    long nextGap() {
        return gaps == null || gaps.isEmpty() ? Long.MAX_VALUE : gaps.peek().position;
    }

    /** Removes the first gap that waits and returns its length. */
    long takeGap() {
        return gaps.remove().lostLength;
    }

    /** Makes the buffer's end wait until everything has been read. */
    void endLater(End newEnd) {
        end = newEnd;
    }

    /** Returns the end that waits; null when there is none. */
    End end() {
        return end;
    }
}
