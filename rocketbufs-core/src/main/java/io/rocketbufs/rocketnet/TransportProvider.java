package io.rocketbufs.rocketnet;

import com.typesafe.config.Config;
import java.util.List;

/** Makes a transport; found by {@link java.util.ServiceLoader} under its name in the configuration. */
public interface TransportProvider {
    /** The name in the configuration: {@code rocketbufs.transport = name}. */
    String name();

    /**
     * Opens the transport.
     *
     * @param config the whole configuration; a transport reads {@code rocketbufs.<name>.*} of it
     * @throws TransportException with code UNAVAILABLE when it cannot be used on this machine, with the cause and what
     *     to do about it
     */
    Transport open(Config config);

    /**
     * What there is to choose from within the transport, the best first, whatever the configuration has chosen; empty
     * where there is no choice. Opens and closes each, so it takes a while.
     */
    default List<TransportChoice> choices(Config config) {
        return List.of();
    }
}
