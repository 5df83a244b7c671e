package io.rocketbufs.rocketnet;

import io.rocketbufs.memory.Region;
import io.rocketbufs.memory.Vecs;

/**
 * The arguments of one write-with-immediate. The holder of a connection's sending side fills them in for each write.
 *
 * <p>The gathered bytes are written to {@code remote} at {@code remoteOffset}, never across the buffer's end. If the
 * receiver places the bytes, the offset is ignored. A length of 0 is allowed and delivers only the immediate data.
 *
 * <p><b>Thread-safety:</b> none. <b>Ownership:</b> belongs to the caller; a transport copies the values that it needs
 * before its method returns.
 */
public final class WriteRequest {
    private final Vecs vecs;
    private Region region;
    private RemoteBuffer remote;
    private long remoteOffset;
    private int immediate;
    private boolean more;

    /** Creates a request that can gather {@code maxVecs} ranges. */
    public WriteRequest(int maxVecs) {
        vecs = new Vecs(maxVecs);
    }

    /** Starts a new request: clears the ranges and sets all other fields except {@link #more()}. */
    public WriteRequest set(Region region, RemoteBuffer remote, long remoteOffset, int immediate) {
        vecs.clear();
        this.region = region;
        this.remote = remote;
        this.remoteOffset = remoteOffset;
        this.immediate = immediate;
        return this;
    }

    /** Changes only the immediate data of this request. */
    public void immediate(int immediate) {
        this.immediate = immediate;
    }

    /** Sets whether another request will follow immediately. The value stays in effect until it is changed. */
    public void more(boolean more) {
        this.more = more;
    }

    /** Returns true if another request, or {@link TransportConnection#push()}, will follow immediately. */
    public boolean more() {
        return more;
    }

    /** Returns the local ranges, all within {@link #region()}. */
    public Vecs vecs() {
        return vecs;
    }

    /** Returns the region that contains the local ranges. */
    public Region region() {
        return region;
    }

    /** Returns the target buffer. */
    public RemoteBuffer remote() {
        return remote;
    }

    /** Returns the offset in the remote buffer. */
    public long remoteOffset() {
        return remoteOffset;
    }

    /** Returns the 32 bits that the transport passes to the receiver without interpreting them. */
    public int immediate() {
        return immediate;
    }
}
