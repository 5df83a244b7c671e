package io.rocketbufs.rocketnet;

/**
 * The data that a peer needs to access local memory, as sent in a control message.
 *
 * @param address base address to which the peer adds offsets; 0 if the receiver stores the bytes itself
 * @param key remote key; 0 if none is needed
 */
public record RemoteAccess(long address, long key) {
    /** The access for transports whose receiver stores the bytes itself. */
    public static final RemoteAccess NONE = new RemoteAccess(0, 0);
}
