package io.rocketbufs.rocketnet;

import java.net.InetAddress;

/**
 * One of several ways to carry out a transport on this machine, for people and scripts.
 *
 * @param name name in the transport's own configuration
 * @param available whether it can be used on this machine
 * @param automatic true for the one that is taken where the configuration leaves the choice to the transport
 * @param device what moves the bytes, as the system calls it; null when it cannot be used
 * @param address where programs of this machine reach each other over it; null when it cannot be used
 * @param detail what else is to be said of it; or why it cannot be used, and what to do about it
 * @param capabilities what it can do; null when it cannot be used
 */
public record TransportChoice(
        String name,
        boolean available,
        boolean automatic,
        String device,
        InetAddress address,
        String detail,
        Capabilities capabilities) {

    /** One that cannot be used. */
    public static TransportChoice unavailable(String name, String cause) {
        return new TransportChoice(name, false, false, null, null, cause, null);
    }
}
