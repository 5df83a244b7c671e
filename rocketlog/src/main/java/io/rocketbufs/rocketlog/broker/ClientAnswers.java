package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.Connection;
import io.rocketbufs.rocketlog.protocol.LogMessageLayout;
import io.rocketbufs.rocketlog.protocol.RefusedRequest;
import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the answers to a client's requests.
 *
 * <p><i>Thread-safety:</i> any thread, except for {@link #refuse}.
 */
final class ClientAnswers {
    private static final Logger LOG = LoggerFactory.getLogger(ClientAnswers.class);

    private final Connection connection;
    private final String client;

    /** @param client the client's name and address, as log lines contain them */
    ClientAnswers(Connection connection, String client) {
        this.connection = connection;
        this.client = client;
    }

    /** Sends a refusal, unless the client has disconnected. */
    void send(int correlation, RefusedRequest refusal) {
        send(LogMessageLayout.refused(correlation, refusal));
    }

    /** Sends a response, unless the client has disconnected. */
    void send(ByteBuffer message) {
        try {
            connection.sendControlMessage(message);
        } catch (TransportException e) {
            LOG.debug("{} cannot be sent a response: {}", client, e.getMessage());
        }
    }

    /**
     * Sends a refusal. Called on the connection's worker, while it handles the request.
     *
     * @throws TransportException if the client has disconnected or reads no answers; ends the connection
     */
    void refuse(int correlation, RefusedRequest refusal) {
        connection.sendControlMessage(LogMessageLayout.refused(correlation, refusal));
    }
}
