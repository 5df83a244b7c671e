package io.rocketbufs;

import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.TransportChoice;
import java.util.List;

/**
 * A description of an installed transport, usable or not, for diagnosis.
 *
 * @param name the transport's name in the configuration
 * @param available whether the transport can be used on this machine
 * @param detail the selected implementation; if the transport cannot be used, the reason and the remedy
 * @param capabilities the transport's capabilities; null if it cannot be used
 * @param choices the implementations that the transport can choose from, best first; empty if there is no choice
 */
public record TransportInfo(
        String name, boolean available, String detail, Capabilities capabilities, List<TransportChoice> choices) {

    /** Copies the list of choices. */
    public TransportInfo {
        choices = List.copyOf(choices);
    }
}
