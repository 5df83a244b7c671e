package io.rocketbufs.rbmq.broker;

import io.rocketbufs.Connection;
import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connected subscriber, as the destination of the broker's control messages.
 *
 * <p><b>Thread-safety:</b> any thread. Messages that must arrive in order are sent while holding the lock of
 * {@link Topics}.
 */
final class ConnectedSubscriber {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectedSubscriber.class);

    private final Connection connection;
    private final String name;
    private volatile boolean unresponsive;

    ConnectedSubscriber(Connection connection, String name) {
        this.connection = connection;
        this.name = name;
    }

    Connection connection() {
        return connection;
    }

    /** Returns the subscriber's display name. */
    String name() {
        return name;
    }

    String peer() {
        return connection.peer();
    }

    /**
     * Sends a message if the connection is still open. Disconnects a subscriber that does not read its control
     * messages, because it would miss data without noticing.
     */
    void send(ByteBuffer message) {
        try {
            connection.sendControlMessage(message);
        } catch (TransportException e) {
            // If the connection is already closed, the failure is ignored, because a departing subscriber must not
            // affect others.
            if (connection.isOpen() && !unresponsive) {
                unresponsive = true;
                LOG.warn("{} does not read its control messages: {}", this, e.getMessage());
                connection.close("the subscriber does not read its control messages");
            }
        }
    }

    @Override
    public String toString() {
        return "Subscriber \"" + name + "\" at " + peer();
    }
}
