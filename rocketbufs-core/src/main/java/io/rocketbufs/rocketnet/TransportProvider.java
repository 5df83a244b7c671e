package io.rocketbufs.rocketnet;

import com.typesafe.config.Config;
import java.util.Optional;

/** Makes a transport; found by {@link java.util.ServiceLoader} under its name in the configuration. */
public interface TransportProvider {
    /** The name in the configuration: {@code rocketbufs.transport = name}. */
    String name();

    /** Why this transport cannot be used on this machine, with what to do about it; empty when it can. */
    Optional<String> unavailabilityCause();

    /**
     * Opens the transport.
     *
     * @param config the whole configuration; a transport reads {@code rocketbufs.<name>.*} of it
     * @throws TransportException with code UNAVAILABLE and the cause when it cannot be used here
     */
    Transport open(Config config);
}
