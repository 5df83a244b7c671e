package io.rocketbufs.rocketnet;

/**
 * One buffer of a peer as the sender's transport sees it. A transport may extend it with the native work structures
 * that it prepares once per subscription.
 *
 * <p><b>Ownership:</b> made by {@link TransportConnection#remoteBuffer}, used only with that connection.
 */
public class RemoteBuffer {
    private final RemoteAccess access;
    private final long capacity;

    /** Keeps the peer's metadata. */
    public RemoteBuffer(RemoteAccess access, long capacity) {
        this.access = access;
        this.capacity = capacity;
    }

    /** Where and with which key the peer lets us write. */
    public final RemoteAccess access() {
        return access;
    }

    /** Bytes of the remote buffer. */
    public final long capacity() {
        return capacity;
    }
}
