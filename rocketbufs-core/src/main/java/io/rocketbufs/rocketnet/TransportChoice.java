package io.rocketbufs.rocketnet;

import java.net.InetAddress;

/**
 * One of several implementations of a transport on this machine, for diagnosis.
 *
 * @param name name in the transport's own configuration
 * @param available whether it can be used on this machine
 * @param automatic true for the choice that the transport makes when the configuration leaves the choice to it
 * @param device system name of the device that moves the bytes; null when the choice cannot be used
 * @param address address at which local programs reach each other over this choice; null when it cannot be used
 * @param detail further information, or the reason why it cannot be used and the remedy
 * @param capabilities its capabilities; null when it cannot be used
 */
public record TransportChoice(
        String name,
        boolean available,
        boolean automatic,
        String device,
        InetAddress address,
        String detail,
        Capabilities capabilities) {

    /** Returns a choice that cannot be used. */
    public static TransportChoice unavailable(String name, String cause) {
        return new TransportChoice(name, false, false, null, null, cause, null);
    }
}
