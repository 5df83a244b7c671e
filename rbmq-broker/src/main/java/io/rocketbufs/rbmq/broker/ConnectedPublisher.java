package io.rocketbufs.rbmq.broker;

import io.rocketbufs.Connection;
import io.rocketbufs.rbmq.protocol.Features;
import io.rocketbufs.rbmq.protocol.Greeting;
import io.rocketbufs.rbmq.protocol.InterestLayout;

/**
 * A connected publisher, as the destination of notices about its topics.
 *
 * <p><b>Thread-safety:</b> any thread; notices are sent under the lock of {@link Topics}, which keeps them in order.
 */
final class ConnectedPublisher {
    private final int number;
    private final String name;
    private final String peer;
    private final boolean wantsInterest;
    private final ClientNotices notices;

    /**
     * Creates a publisher.
     *
     * @param number the broker's number for it
     */
    ConnectedPublisher(int number, Greeting greeting, Connection connection) {
        this.number = number;
        this.name = greeting.name();
        this.peer = connection.peer();
        this.wantsInterest = greeting.supports(Features.INTEREST);
        this.notices = new ClientNotices(connection, this);
    }

    /** Returns the broker's number for this publisher. */
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

    /** Notifies the publisher of the number of subscribers of one of its topics, if it supports these notices. */
    void notifyInterest(int publishersId, int subscriberCount) {
        if (wantsInterest) {
            notices.send(InterestLayout.write(publishersId, subscriberCount));
        }
    }

    @Override
    public String toString() {
        return "Publisher " + number + " \"" + name + "\" at " + peer;
    }
}
