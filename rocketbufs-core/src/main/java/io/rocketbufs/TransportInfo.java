package io.rocketbufs;

import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.TransportChoice;
import java.util.List;

/**
 * A transport that this program could use, for diagnosis.
 *
 * @param name name in the configuration
 * @param available whether it can be used on this machine
 * @param detail the choice that was selected; or why the transport cannot be used, and the remedy
 * @param capabilities what it can do; null when it cannot be used
 * @param choices the choices within it, the best first; empty if there are none
 */
public record TransportInfo(
        String name, boolean available, String detail, Capabilities capabilities, List<TransportChoice> choices) {

    /** Copies the list. */
    public TransportInfo {
        choices = List.copyOf(choices);
    }
}
