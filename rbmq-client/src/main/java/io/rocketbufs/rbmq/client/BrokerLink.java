package io.rocketbufs.rbmq.client;

import io.rocketbufs.Connection;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.rbmq.protocol.NoticeLayout;
import io.rocketbufs.rbmq.protocol.Offers;
import io.rocketbufs.rbmq.protocol.RbmqType;
import io.rocketbufs.rbmq.protocol.Welcome;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.text.HostPort;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

/**
 * One connection of a client to a broker. A client that reconnects uses several in succession.
 *
 * <p><b>Thread-safety:</b> any thread after {@link #open}, unless a method states otherwise. <b>Ownership:</b> owns the
 * connection.
 */
class BrokerLink {
    // The worker writes these fields before it handles the broker's first message. The connecting thread sees the
    // connection because it waits for a future that the worker completes afterwards.
    private Connection connection;
    private WelcomeGate gate;
    private Welcome welcome;
    private HostPort broker;
    private long timeoutMs;
    private ChosenTransport transport;

    // Guarded by the lock of Reconnect.
    private boolean ended;
    private Throwable failure;

    /**
     * Connects to the broker; blocks until it has accepted the connection. If the broker has sent {@link #offers}, the
     * caller must then call {@link #stay} or {@link #leave}.
     *
     * @param onMessage receives all messages after WELCOME, on the worker
     * @param onClosed called on the worker when the connection has ended, possibly before this method returns. Its
     *     argument is the failure, or null after a graceful close
     * @throws io.rocketbufs.rocketnet.TransportException when the broker cannot be reached or refuses the connection
     */
    final void open(
            RocketBufs rocketBufs,
            ClientSettings settings,
            BrokerTarget target,
            Role role,
            WelcomeGate.Receiver onMessage,
            BiConsumer<BrokerLink, Throwable> onClosed) {
        gate = BrokerConnection.open(
                rocketBufs, settings, target, role, this::attach, onMessage, cause -> onClosed.accept(this, cause));
        broker = new HostPort(target.address().getHostString(), target.address().getPort());
        timeoutMs = settings.connectTimeoutMs();
        // Not read after OFFERS: if the connection has ended in the meantime, the future has failed.
        welcome = gate.offers() == null ? gate.welcome().join() : null;
    }

    /** Returns the broker's offers; null if the broker has sent no offers. */
    final Offers offers() {
        return gate.offers();
    }

    /**
     * Keeps the connection regardless of the offers; blocks until the broker has sent WELCOME.
     *
     * @param why the reason why no offer is accepted
     * @throws io.rocketbufs.rocketnet.TransportException when the broker does not accept the client
     */
    final void stay(String why) {
        connection.sendControlMessage(NoticeLayout.ofSubscription(RbmqType.STAY, 0, why));
        welcome = BrokerConnection.await(
                CompletableFuture.completedFuture(connection), gate.welcome(), broker, timeoutMs);
    }

    /** Declines the connection because of the offers; blocks until the broker has closed it. */
    final void leave() {
        try {
            connection.sendControlMessage(NoticeLayout.ofSubscription(RbmqType.LEAVE, 0, ""));
        } catch (TransportException e) {
            return; // the connection has ended
        }
        BrokerConnection.awaitEnd(connection, timeoutMs);
    }

    /** Records why transports that are better than this connection's are not used. */
    final void choose(Map<String, String> obstacles) {
        transport = new ChosenTransport(connection.transport(), obstacles);
    }

    /** Returns the transport; null before {@link #choose}. */
    final ChosenTransport transport() {
        return transport;
    }

    /** Returns the broker's random id. */
    final long brokerId() {
        return welcome == null ? offers().brokerId() : welcome.brokerId();
    }

    /** Called on the worker before the broker's first message. */
    void attach(Connection established) {
        connection = established;
    }

    final Connection connection() {
        return connection;
    }

    /** Returns the broker's welcome message. */
    final Welcome welcome() {
        return welcome;
    }

    /** Called under the lock of {@link Reconnect} when the connection has ended. */
    final void end(Throwable cause) {
        ended = true;
        failure = cause;
    }

    /** Returns true after {@link #end}; called under the lock of {@link Reconnect}. */
    final boolean hasEnded() {
        return ended;
    }

    /**
     * Returns the failure that ended the connection; null after a graceful close. Called under the lock of
     * {@link Reconnect}.
     */
    final Throwable failure() {
        return failure;
    }
}
