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
 * <p><i>Thread-safety:</i> any thread.
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

    /** Sends a refusal, or drops it if the client has disconnected or does not read its answers. */
    void refuseIfPossible(int correlation, RefusedRequest refusal) {
        sendIfPossible(LogMessageLayout.refused(correlation, refusal));
    }

    /** Sends an answer, or drops it if the client has disconnected or does not read its answers. */
    void sendIfPossible(ByteBuffer message) {
        try {
            connection.sendControlMessage(message);
        } catch (TransportException e) {
            LOG.debug("{} cannot be sent a response: {}", client, e.getMessage());
        }
    }

    /**
     * Sends a refusal. Called while the connection's worker handles a request, so that an exception ends the
     * connection.
     *
     * @throws TransportException if the client has disconnected or does not read its answers
     */
    void refuse(int correlation, RefusedRequest refusal) {
        connection.sendControlMessage(LogMessageLayout.refused(correlation, refusal));
    }
}
