package io.rocketbufs.rocketnet;

/**
 * The reach of a transport, nearest first. If several transports reach the same peer, the setting
 * {@code rocketbufs.transport = auto} prefers the transport with the shortest reach.
 */
public enum Reach {
    /** Processes on this machine. Data never leaves the machine. */
    MACHINE,
    /** Machines whose devices are connected to a device of this machine. */
    FABRIC,
    /**
     * All machines that this machine can reach over a network. The first connection, over which both sides agree on a
     * transport, uses a transport with this reach.
     */
    NETWORK,
    /** A transport that {@code auto} never selects; the configuration must name it. */
    UNSELECTED
}
