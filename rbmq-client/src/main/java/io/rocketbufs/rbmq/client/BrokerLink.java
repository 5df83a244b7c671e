package io.rocketbufs.rbmq.client;

import io.rocketbufs.Connection;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.rbmq.protocol.Welcome;
import java.net.InetSocketAddress;
import java.util.function.BiConsumer;

/**
 * One connection of a client to a broker. A client that reconnects has one after the other.
 *
 * <p><b>Thread-safety:</b> any thread after {@link #open}, unless a method states otherwise. <b>Ownership:</b> owns the
 * connection.
 */
class BrokerLink {
    // Written on the worker before the broker's first message; the connecting thread sees the connection because it
    // waits for a future that the worker completes afterwards.
    private Connection connection;
    private Welcome welcome;

    // Guarded by the lock of Reconnect.
    private boolean ended;
    private Throwable failure;

    /**
     * Connects to the broker at one of its addresses; blocks until it has accepted the connection.
     *
     * @param onMessage receives all messages after WELCOME, on the worker
     * @param onClosed called on the worker when the connection has ended, with the failure, or null after a graceful
     *     close; possibly before this method returns
     * @throws io.rocketbufs.rocketnet.TransportException when the broker cannot be reached or refuses the connection
     */
    final void open(
            RocketBufs rocketBufs,
            ClientSettings settings,
            InetSocketAddress address,
            Role role,
            WelcomeGate.Receiver onMessage,
            BiConsumer<BrokerLink, Throwable> onClosed) {
        welcome = BrokerConnection.open(
                rocketBufs, settings, address, role, this::attach, onMessage, cause -> onClosed.accept(this, cause));
    }

    /** Called on the worker before the broker's first message. */
    void attach(Connection established) {
        connection = established;
    }

    final Connection connection() {
        return connection;
    }

    /** Returns the broker's introduction. */
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
     * Returns why the connection has ended; null after a graceful close. Called under the lock of {@link Reconnect}.
     */
    final Throwable failure() {
        return failure;
    }
}
