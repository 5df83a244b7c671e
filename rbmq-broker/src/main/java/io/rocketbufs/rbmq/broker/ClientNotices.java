package io.rocketbufs.rbmq.broker;

import io.rocketbufs.Connection;
import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The channel for the broker's notices to one client. It disconnects a client that does not read the notices, because
 * the client would otherwise miss a change without noticing.
 *
 * <p><b>Thread-safety:</b> any thread. Notices that must arrive in order are sent while the lock of {@link Topics} is
 * held.
 */
final class ClientNotices {
    private static final Logger LOG = LoggerFactory.getLogger(ClientNotices.class);

    private final Connection connection;
    private final Object client;
    private volatile boolean unresponsive;

    /**
     * Creates the channel to a client.
     *
     * @param client the client, as it is described in the log
     */
    ClientNotices(Connection connection, Object client) {
        this.connection = connection;
        this.client = client;
    }

    /** Returns true if the client has been disconnected because it does not read the notices. */
    boolean isUnresponsive() {
        return unresponsive;
    }

    /** Sends a notice if the connection is still open. */
    void send(ByteBuffer notice) {
        if (unresponsive) {
            return;
        }
        try {
            connection.sendControlMessage(notice);
        } catch (TransportException e) {
            giveUp(e.getMessage());
        }
    }

    /**
     * Disconnects the client because it does not read the notices. Has no effect on a closed connection, because a
     * departing client must not affect other clients.
     *
     * @param why the reason, appended to the log line
     */
    void giveUp(String why) {
        if (!connection.isOpen()) {
            return;
        }
        unresponsive = true;
        LOG.warn("{} does not read its control messages: {}", client, why);
        connection.close("the client does not read its control messages");
    }
}
