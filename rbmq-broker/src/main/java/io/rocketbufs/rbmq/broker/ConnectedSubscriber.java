package io.rocketbufs.rbmq.broker;

import io.rocketbufs.Connection;
import io.rocketbufs.rbmq.protocol.Features;
import io.rocketbufs.rbmq.protocol.Greeting;
import io.rocketbufs.rbmq.protocol.SlowLayout;
import io.rocketbufs.text.PlainText;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * A connected subscriber, as the destination of the broker's control messages.
 *
 * <p><b>Thread-safety:</b> any thread. Messages that must arrive in order are sent while holding the lock of
 * {@link Topics}.
 */
final class ConnectedSubscriber {
    private final Connection connection;
    private final String name;
    private final boolean wantsDepartures;
    private final boolean wantsKept;
    private final Principal principal;
    private final boolean wantsSlow;
    private final ClientNotices client;
    private final SubscriberNotices notices;
    private final BufferNotices slow;
    private final AtomicInteger shareCount = new AtomicInteger();
    private int matchCount;
    private boolean missesTopics;

    /**
     * Creates a subscriber.
     *
     * @param principal the subscriber's identity and rights
     * @param maxWaitingNotices supplies the maximum number of notices that may wait for a client that keeps reading
     */
    ConnectedSubscriber(Connection connection, Greeting greeting, Principal principal, IntSupplier maxWaitingNotices) {
        this.connection = connection;
        this.name = greeting.name();
        this.wantsDepartures = greeting.supports(Features.DEPARTURES);
        this.wantsKept = greeting.supports(Features.KEPT);
        this.principal = principal;
        this.wantsSlow = greeting.supports(Features.SLOW);
        this.client = new ClientNotices(connection, this);
        this.notices = new SubscriberNotices(
                task -> connection.executeAfterControlMessages(task), client::send, client::giveUp, maxWaitingNotices);
        this.slow = new BufferNotices(task -> connection.executeAfterControlMessages(task), client::send);
    }

    Connection connection() {
        return connection;
    }

    /** Returns the subscriber's display name. */
    String name() {
        return name;
    }

    /** Returns true if the subscriber supports {@link Features#DEPARTURES}. */
    boolean wantsDepartures() {
        return wantsDepartures;
    }

    /** Returns true if the subscriber supports {@link Features#KEPT}. */
    boolean wantsKept() {
        return wantsKept;
    }

    String peer() {
        return connection.peer();
    }

    /** Returns the subscriber's identity and rights. */
    Principal principal() {
        return principal;
    }

    /** Sends a message if the connection is still open. Disconnects the subscriber if it does not read its messages. */
    void send(ByteBuffer message) {
        notices.send(message);
    }

    /**
     * Sends a part of a list when no other message is waiting, so that a long list does not fill the connection's
     * queue.
     *
     * @param message encodes the message, on the subscriber's worker, when it is about to be sent
     * @param bufferCount number of buffers that the message lists
     */
    void sendPart(Supplier<ByteBuffer> message, int bufferCount) {
        notices.sendPart(message, bufferCount);
    }

    /** Returns true if the subscriber has been disconnected because it does not read its messages. */
    boolean isUnresponsive() {
        return client.isUnresponsive();
    }

    /**
     * Notifies the subscriber that it delays a publisher or no longer does. Does nothing if the subscriber does not
     * support these notices.
     *
     * @param count 1 if the subscriber delays the publisher, otherwise 0
     */
    void notifySlow(int bufferId, int count, long pendingLength, long delayMs) {
        if (wantsSlow) {
            slow.change(bufferId, SlowLayout.write(bufferId, count, pendingLength, delayMs));
        }
    }

    /** Returns the number of buffers that the subscriber reads as a member of groups. */
    int shareCount() {
        return shareCount.get();
    }

    void countShares(int change) {
        shareCount.addAndGet(change);
    }

    // Methods called while the lock of Topics is held.

    /**
     * Returns the number of topics that match the subscriber's filters. A topic counts once for each filter that
     * matches it.
     */
    int matchCount() {
        return matchCount;
    }

    void countMatches(int change) {
        matchCount += change;
    }

    /**
     * Returns true only on the first call, which is made when the first topic is left out because the subscriber's
     * filters match too many topics.
     */
    boolean beginsToMissTopics() {
        boolean begins = !missesTopics;
        missesTopics = true;
        return begins;
    }

    @Override
    public String toString() {
        return "Subscriber " + PlainText.quoted(name) + principal + " at " + peer();
    }
}
