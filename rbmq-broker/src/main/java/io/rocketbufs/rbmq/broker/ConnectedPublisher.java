package io.rocketbufs.rbmq.broker;

import io.rocketbufs.Connection;
import io.rocketbufs.rbmq.protocol.Features;
import io.rocketbufs.rbmq.protocol.Greeting;
import io.rocketbufs.rbmq.protocol.InterestLayout;
import io.rocketbufs.rbmq.protocol.SlowLayout;
import io.rocketbufs.text.PlainText;

/**
 * A connected publisher, as the destination of notices about its topics.
 *
 * <p><b>Thread-safety:</b> any thread unless stated otherwise; changes are reported while the lock of {@link Topics} is
 * held, which keeps them in order.
 */
final class ConnectedPublisher {
    private final int number;
    private final String name;
    private final String peer;
    private final Principal principal;
    private final boolean wantsInterest;
    private final boolean wantsSlow;
    private final BufferNotices interest;
    private final BufferNotices slow;
    private final TrafficSum ended = new TrafficSum();
    private final WaitTime waits = new WaitTime();
    private final Connection connection;
    private volatile Runnable onGrouped = () -> {};

    /**
     * Creates a publisher.
     *
     * @param number the number that the broker assigned to the publisher
     * @param principal the publisher's identity and rights
     */
    ConnectedPublisher(int number, Greeting greeting, Connection connection, Principal principal) {
        this.number = number;
        this.name = greeting.name();
        this.connection = connection;
        this.peer = connection.peer();
        this.principal = principal;
        this.wantsInterest = greeting.supports(Features.INTEREST);
        this.wantsSlow = greeting.supports(Features.SLOW);
        ClientNotices notices = new ClientNotices(connection, this);
        this.interest = new BufferNotices(connection::executeAfterControlMessages, notices::send);
        this.slow = new BufferNotices(connection::executeAfterControlMessages, notices::send);
    }

    /** Returns the number that the broker assigned to this publisher. */
    int number() {
        return number;
    }

    /** Returns the publisher's display name. */
    String name() {
        return name;
    }

    String peer() {
        return peer;
    }

    /** Returns the amount of data received in the publisher's buffers that have left their topics. */
    TrafficSum ended() {
        return ended;
    }

    /** Returns the time that the publisher has spent waiting for subscribers. */
    WaitTime waits() {
        return waits;
    }

    /** Returns the publisher's identity and rights. */
    Principal principal() {
        return principal;
    }

    /**
     * Sends the number of subscribers of a topic that the publisher joins, before any other message about the topic.
     * Does nothing if the publisher does not support these notices. Called on the publisher's worker.
     */
    void beginInterest(int publishersId, int subscriberCount) {
        if (wantsInterest) {
            interest.begin(InterestLayout.write(publishersId, subscriberCount));
        }
    }

    /** Notifies the publisher that the number of subscribers of one of its topics has changed. */
    void changeInterest(int publishersId, int subscriberCount) {
        if (wantsInterest) {
            interest.change(publishersId, InterestLayout.write(publishersId, subscriberCount));
        }
    }

    /** Stops sending subscriber counts for a topic that the publisher has left. Called on the publisher's worker. */
    void endInterest(int publishersId) {
        interest.end(publishersId);
    }

    /**
     * Sends the number of subscribers that delay the publisher on one of its topics. Does nothing if the publisher does
     * not support these notices. Any thread.
     */
    void notifySlow(int publishersId, int subscriberCount, long pendingLength, long delayMs) {
        if (wantsSlow) {
            slow.change(publishersId, SlowLayout.write(publishersId, subscriberCount, pendingLength, delayMs));
        }
    }

    /**
     * Stops sending notices of slow subscribers for a topic that the publisher has left. Called on the publisher's
     * worker.
     */
    void endSlow(int publishersId) {
        slow.end(publishersId);
    }

    /** Runs a task on the publisher's worker, even after the connection has ended. */
    void execute(Runnable task) {
        connection.execute(task);
    }

    /** Disconnects the publisher for the given reason. */
    void close(String reason) {
        connection.close(reason);
    }

    /** Sets the task that runs on the publisher's worker before a group starts to read one of its buffers. */
    void setGroupedCallback(Runnable callback) {
        onGrouped = callback;
    }

    /** Called when a group starts to read one of the publisher's buffers. */
    void onGrouped() {
        execute(onGrouped);
    }

    @Override
    public String toString() {
        return "Publisher " + number + " " + PlainText.quoted(name) + principal + " at " + peer;
    }
}
