package io.rocketbufs.rbmq.client;

import io.rocketbufs.Role;
import io.rocketbufs.rbmq.protocol.Welcome;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.text.HostPort;
import java.net.InetSocketAddress;
import java.util.EnumMap;
import java.util.Map;

/**
 * The broker to which both connections of a client lead. If they led to different brokers, the client would not receive
 * the messages that it publishes. While one connection is lost, the other one may lead to any broker.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class SameBroker {
    /** The ids of the connected brokers. */
    private final Map<Role, Long> ids = new EnumMap<>(Role.class);

    /**
     * Called when a broker has accepted a connection.
     *
     * @throws TransportException when the other connection leads to another broker
     */
    synchronized void enter(Role role, Welcome broker, InetSocketAddress address) {
        Role other = role == Role.PUBLISHER ? Role.SUBSCRIBER : Role.PUBLISHER;
        Long known = ids.get(other);
        if (known != null && known != broker.brokerId()) {
            throw new TransportException(
                    TransportException.Code.UNREACHABLE,
                    "the broker at " + HostPort.of(address) + " is not the one with which this client already "
                            + (other == Role.PUBLISHER ? "publishes" : "subscribes") + ", or it was restarted");
        }
        ids.put(role, broker.brokerId());
    }

    /** Called when a connection has ended. */
    synchronized void leave(Role role) {
        ids.remove(role);
    }
}
