package io.rocketbufs.rocketnet;

import com.typesafe.config.Config;
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
     * @throws TransportException with code UNAVAILABLE when the transport cannot be used on this machine; the message
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
     * Returns the implementations that the transport can choose from, best first, regardless of the configuration;
     * empty if there is no choice. Opens and closes each implementation, which takes time.
     */
    default List<TransportChoice> choices(Config config) {
        return List.of();
    }
}
