package io.rocketbufs.rocketnet;

import java.net.InetAddress;

/**
 * A description of one implementation that a transport can choose on this machine, for diagnostics.
 *
 * @param name the implementation's name in the transport's own configuration
 * @param available true if the implementation can be used on this machine
 * @param automatic true for the implementation that the transport selects if the configuration does not name one
 * @param device the system's name for the device that moves the bytes; null if the implementation cannot be used
 * @param address address that local programs use to reach each other over this implementation; null if it cannot be
 *     used
 * @param detail further information; if the implementation cannot be used, the reason and the remedy
 * @param capabilities the implementation's capabilities; null if it cannot be used
 */
public record TransportChoice(
        String name,
        boolean available,
        boolean automatic,
        String device,
        InetAddress address,
        String detail,
        Capabilities capabilities) {

    /** Returns the description of an implementation that cannot be used. */
    public static TransportChoice unavailable(String name, String cause) {
        return new TransportChoice(name, false, false, null, null, cause, null);
    }
}
