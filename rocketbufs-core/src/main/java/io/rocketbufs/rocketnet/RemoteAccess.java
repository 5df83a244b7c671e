package io.rocketbufs.rocketnet;

/**
 * What a peer needs to know to write into memory of ours; carried by the subscribe message.
 *
 * @param address base that the peer adds offsets to; 0 where the receiver places
 * @param key remote key; 0 where none is needed
 */
public record RemoteAccess(long address, long key) {
    /** For transports whose receiver places the bytes itself. */
    public static final RemoteAccess NONE = new RemoteAccess(0, 0);
}
