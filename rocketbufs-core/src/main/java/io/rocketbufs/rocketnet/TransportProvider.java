package io.rocketbufs.rocketnet;

import com.typesafe.config.Config;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * A factory for a transport, found by {@link java.util.ServiceLoader} and selected by its name in the configuration.
 */
public interface TransportProvider {
    /** Returns the transport's name in the configuration: {@code rocketbufs.transport = name}. */
    String name();

    /**
     * Opens the transport.
     *
     * @param config the whole configuration; a transport reads {@code rocketbufs.<name>.*}
     * @throws TransportException with code UNAVAILABLE if the transport cannot be used on this machine; the message
     *     states the cause and the remedy
     */
    Transport open(Config config);

    /**
     * Checks the transport's part of the configuration without opening the transport.
     *
     * @throws io.rocketbufs.settings.SettingsException naming the key, file and line of the first invalid value
     */
    default void check(Config config) {}

    /**
     * Returns the implementations that the transport can choose from, best first, regardless of the configuration. The
     * list is empty if there is no choice. Slow, because it opens and closes each implementation.
     */
    default List<TransportChoice> choices(Config config) {
        return List.of();
    }

    /**
     * Returns the reach of the transport with the given configuration. If two transports have the same reach,
     * {@code rocketbufs.transport = auto} prefers the one that encrypts.
     */
    default Reach reach(Config config) {
        return Reach.UNSELECTED;
    }

    /** Returns true if everything that the transport sends is encrypted. */
    default boolean encrypts() {
        return false;
    }

    /**
     * Returns the address at which a peer's listener of this transport can probably be reached. Does not connect, but
     * may block briefly.
     *
     * @param place the listener's {@link TransportListener#place()} as received from the peer; may be any text
     * @param contacted the address at which the peer was reached over another transport
     * @throws TransportException if the listener cannot be reached; the message states the reason and the remedy
     */
    default InetSocketAddress route(String place, InetSocketAddress contacted, Config config) {
        throw new TransportException(
                TransportException.Code.UNREACHABLE, "transport \"" + name() + "\" is not selected automatically");
    }
}
