package io.rocketbufs;

import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.TransportChoice;
import java.util.List;

/**
 * A transport that this program could use, for diagnosis.
 *
 * @param name name in the configuration
 * @param available whether it can be used on this machine
 * @param detail the selected choice; if the transport cannot be used, the reason and the remedy
 * @param capabilities the transport's capabilities; null when it cannot be used
 * @param choices the choices that it offers, best first; empty if there are none
 */
public record TransportInfo(
        String name, boolean available, String detail, Capabilities capabilities, List<TransportChoice> choices) {

    /** Copies the list. */
    public TransportInfo {
        choices = List.copyOf(choices);
    }
}
