package io.rocketbufs.rocketnet;

/**
 * The access that a peer needs to write into local memory; carried by the SUBSCRIBE message.
 *
 * @param address base that the peer adds offsets to; 0 where the receiver places
 * @param key remote key; 0 where none is needed
 */
public record RemoteAccess(long address, long key) {
    /** For transports whose receiver places the bytes itself. */
    public static final RemoteAccess NONE = new RemoteAccess(0, 0);
}
