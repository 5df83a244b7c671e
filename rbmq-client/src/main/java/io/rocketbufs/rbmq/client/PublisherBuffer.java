package io.rocketbufs.rbmq.client;

import io.rocketbufs.RIn;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.options.Start;
import io.rocketbufs.options.SubscribeOptions;
import io.rocketbufs.rbmq.protocol.InboxName;
import io.rocketbufs.rbmq.protocol.RbmqLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * One publisher's buffer for a topic, and the subscriptions that receive its messages.
 *
 * <pre>
 *                        a subscription takes none
 *               READING ---------------------------&gt; BEHIND
 *                  ^                                  |  ^
 *                  +-----all that waits is read-------+  | the older messages are read
 *                                                        |
 *     subscribed to older messages ------------------&gt; HISTORY
 * </pre>
 *
 * In READING, each transfer is read as it arrives. In BEHIND, transfers, gaps, new subscriptions and the buffer's end
 * wait, and are handled later in order of arrival. In HISTORY, the same applies, and some subscriptions do not receive
 * the messages before the end of the {@link History}.
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
    /** Position in the broker's buffer before which messages are older than the subscriptions; 0 if unknown. */
    private long livePosition;
    /** True if every subscription was notified of this buffer before it went live. */
    private boolean joinedBeforeAll = true;

    /** True while this subscriber delays the publisher. */
    private boolean isDelayed;
    /** True for a buffer of a group's member, which ends with the connection. */
    private boolean ofGroup;

    private boolean removed;
    /**
     * True if this buffer only contains the kept last message of a publisher that left before the subscriptions began.
     */
    private boolean kept;

    private boolean departureReported;

    private String failure;

    /** Number of missing bytes that have been reported so far. */
    private long lostLength;

    /** The waiting data in BEHIND and HISTORY; null in READING. */
    private Unread<Subscription> unread;
    /** The older messages in HISTORY; otherwise null. */
    private History history;

    /**
     * Creates a buffer without subscriptions.
     *
     * @param policy policy that the broker applies if this buffer is read slowly; null leaves the choice to the broker
     * @param start where reading starts; a position continues after a lost connection
     * @param livePosition position in the broker's buffer up to which an earlier connection would have read older
     *     messages; 0 if there were none
     */
    PublisherBuffer(
            String topic,
            int bufferId,
            int publisher,
            SlowPolicy policy,
            Start start,
            long livePosition,
            Recipients.HandlerFailure onFailure) {
        this.topic = topic;
        this.isInbox = InboxName.is(topic);
        this.policy = policy;
        this.start = start;
        this.livePosition = livePosition;
        this.bufferId = bufferId;
        this.publisher = publisher;
        this.frames = new FrameReader(topic, publisher);
        this.onFailure = onFailure;
    }

    String topic() {
        return topic;
    }

    /** Returns true if the topic is this client's inbox. */
    boolean isInbox() {
        return isInbox;
    }

    /** Returns true for a buffer of a group's member. Messages that this member does not read go to another member. */
    boolean isOfGroup() {
        return ofGroup;
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

    /** Records whether this subscriber delays the publisher; returns true if this is a change. */
    boolean setDelayed(boolean delayed) {
        boolean changed = isDelayed != delayed;
        isDelayed = delayed;
        return changed;
    }

    /** Returns the capacity of this client's buffer, given those of the publisher's buffer and in the settings. */
    long capacityFor(long publishersCapacity, long configured) {
        return isInbox || kept ? publishersCapacity : Math.max(configured, publishersCapacity);
    }

    /** Returns the options with which this client subscribes. */
    SubscribeOptions options() {
        // Flow control prevents the publisher from overwriting a message while its handler reads it.
        return SubscribeOptions.DEFAULTS
                .withFlowControl(true)
                .withSlowPolicy(policy)
                .withStart(start);
    }

    FrameReader frames() {
        return frames;
    }

    /** Returns the subscriptions that receive this buffer's messages, either now or after the waiting ones. */
    List<Subscription> subscriptions() {
        return Collections.unmodifiableList(subscriptions);
    }

    /** Throws an exception if the broker must not add this buffer to a topic of a subscription. */
    void checkNew(Subscription subscription, String toTopic) {
        if (!topic.equals(toTopic) || subscriptions.contains(subscription)) {
            throw RbmqLayout.violation("the broker added buffer " + bufferId + " of topic \"" + topic + "\" to topic \""
                    + toTopic + "\" for subscription " + subscription.number());
        }
    }

    /**
     * Adds a subscription.
     *
     * @param position position of the first byte that has not arrived yet. In BEHIND and HISTORY, data before this
     *     position waits to be read. It was published before the subscription began, so the subscription receives it
     *     only if it requests older messages
     */
    void attach(Subscription subscription, long position) {
        subscriptions.add(subscription);
        ofGroup |= subscription.group() != null;
        subscription.request().buffers().add(this);
        if (unread != null) {
            subscription.request().behind().add(this);
        }
        joinedBeforeAll &= !subscription.request().isListed();
        if (!settled) {
            subscription.request().unsettled();
        }
        if (history != null && subscription.start().isOlder()) {
            subscription.request().older().add(this);
        } else if (unread != null && (history == null || position > history.end())) {
            unread.addBeginning(position, subscription);
        }
        setRecipients();
    }

    /** Removes a subscription; returns true if no other subscription remains. */
    boolean detach(Subscription subscription) {
        subscriptions.remove(subscription);
        subscription.request().buffers().remove(this);
        subscription.request().behind().remove(this);
        if (unread != null) {
            unread.remove(subscription);
        }
        subscription.onOlderRead(this);
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
                        .filter(each -> !unread.isBeginning(each)
                                && (history == null || each.start().isOlder()))
                        .toList();
    }

    /** Called when the broker has answered the request for this buffer. The caller must notify the subscriptions. */
    void settle() {
        settled = true;
    }

    /** Returns true if the broker has accepted or refused the request for this buffer. */
    boolean isSettled() {
        return settled;
    }

    /** Returns true if a subscription is paused, so that no message may be handed over. */
    boolean isPaused() {
        return !frames.takes() && !isDeserted();
    }

    /** Returns true if all subscriptions are closed. */
    boolean isDeserted() {
        return subscriptions.stream().allMatch(Subscription::isLeft);
    }

    /**
     * Returns true if all subscriptions are closed, so that messages that still arrive are dropped. A buffer of a
     * group's member does not drop messages, because another member must receive them.
     */
    boolean drops() {
        return isDeserted() && !ofGroup;
    }

    /** Called when the broker reports that the publisher has left; {@code why} is empty after a graceful close. */
    void onRemoved(String why) {
        removed = true;
        failure = why.isEmpty() ? null : why;
    }

    /** Returns true if the broker has reported that the publisher has left. */
    boolean isRemoved() {
        return removed;
    }

    /**
     * Makes this the buffer of the kept last message of a publisher that has left. The buffer ends after this message.
     *
     * @param wasReported true if the broker had already reported the publisher's departure on an earlier connection
     */
    void setKept(boolean wasReported) {
        kept = true;
        departureReported = wasReported;
        removed = true;
    }

    /**
     * Returns true if this is a kept message whose publisher's departure was already reported on an earlier connection.
     */
    boolean isDepartureReported() {
        return departureReported;
    }

    /** Returns true if this is the kept last message of a publisher that had left before the subscriptions began. */
    boolean isKept() {
        return kept;
    }

    /**
     * Returns true if the end of this buffer must be reported to the application as the publisher's departure. The end
     * of an inbox only means that a responder has removed an idle buffer. The publisher of a kept message was never
     * visible to the application.
     */
    boolean reportsEnd() {
        return !isDeserted() && !isInbox && (!kept || start.isPosition());
    }

    /** Returns the reason why the publisher has left; {@code otherwise} if the broker stated no reason. */
    String failure(String otherwise) {
        return failure == null ? otherwise : failure;
    }

    /**
     * Returns true if a failure to subscribe to this buffer loses no messages. This is so if the publisher has already
     * left and had joined before all subscriptions, or if other members of the group receive the messages.
     */
    boolean losesNothing() {
        return (joinedBeforeAll || ofGroup) && removed;
    }

    /**
     * Returns the place up to which the buffer has been read, where another connection can continue.
     *
     * @param isEnded true when the buffer has ended, but the publisher's departure has not been reported to the
     *     callback
     */
    Reached.Place place(RIn in, boolean isEnded) {
        long position = start.isPosition() ? start.code() : 0;
        long waitingLength = 0;
        if (settled) {
            long read = in.bufferRef(bufferId).position();
            position = in.startPosition(bufferId) + read + lostLength;
            waitingLength = in.receivedPosition(bufferId) - read;
            waitingLength += unread == null ? 0 : unread.lostLength();
        }
        return new Reached.Place(topic, publisher, position, waitingLength, removed, isEnded, livePosition());
    }

    // Losses.

    /** Returns the number of missing bytes that have been reported so far. */
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
     * @param position number of bytes that arrived before the gap over this connection
     */
    Gap gapAt(long position, long length) {
        // Messages missing before the first byte were published before this connection could receive them.
        return gap(length, position == 0 && start.isPosition() ? Gap.Reason.RECONNECTED : Gap.Reason.SKIPPED);
    }

    /** Returns a gap in the messages of this buffer's publisher. */
    Gap gap(long length, Gap.Reason reason) {
        return new Gap(topic, publisher, length, reason);
    }

    // Older messages.

    /** Returns true if this buffer was requested with messages that are older than the subscriptions. */
    boolean requestsOlder() {
        return start.isPosition() ? livePosition > 0 : !start.equals(Start.LIVE);
    }

    /** Returns true while older messages are expected. */
    boolean isInHistory() {
        return history != null;
    }

    /** Returns true if all older messages before a position have been read, and newer messages follow. */
    boolean isAtEndOfHistory(long position) {
        return history != null && history.end() <= position;
    }

    /** Returns the older messages; null if none are expected. */
    History history() {
        return history;
    }

    /** Returns the position in the broker's buffer up to which messages are older; 0 if none are expected. */
    long livePosition() {
        return history == null ? livePosition : history.livePosition();
    }

    /**
     * Called when the broker has accepted the request for older messages.
     *
     * @param startPosition position in the broker's buffer at which this buffer starts
     * @param brokersLivePosition position at which the newer messages start, as stated by the broker
     */
    void beginHistory(long startPosition, long brokersLivePosition) {
        long live = start.isPosition() ? livePosition : brokersLivePosition;
        livePosition = 0; // from here on, the history contains it
        if (live <= startPosition) {
            return;
        }
        boolean isLast = subscriptions.stream().anyMatch(each -> each.start() == SubscriptionStart.LAST);
        fallBehind();
        history = new History(startPosition, live, isLast);
        subscriptions.stream()
                .filter(each -> each.start().isOlder())
                .forEach(each -> each.request().older().add(this));
        setRecipients();
    }

    /** Called when the older messages have been read. */
    void endHistory() {
        history = null;
        setRecipients();
        List.copyOf(subscriptions).forEach(each -> each.onOlderRead(this));
    }

    /** Returns the position at which reading must stop, because the recipients change or bytes are missing. */
    long nextStop() {
        return history == null ? unread.nextPosition() : Math.min(unread.nextPosition(), history.end());
    }

    // Data that waits while a subscription is paused.

    /** Returns true in BEHIND and HISTORY. */
    boolean isBehind() {
        return unread != null;
    }

    /** Returns the waiting data; null in READING. */
    Unread<Subscription> unread() {
        return unread;
    }

    /** Makes unread messages wait, as well as all data and events that follow them. */
    void fallBehind() {
        if (unread == null) {
            unread = new Unread<>();
            subscriptions.forEach(
                    subscription -> subscription.request().behind().add(this));
        }
    }

    /** Called when all waiting data has been read. */
    void catchUp() {
        unread = null;
        history = null;
        subscriptions.forEach(subscription -> subscription.request().behind().remove(this));
    }
}
