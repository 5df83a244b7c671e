package io.rocketbufs.rocketnet;

import io.rocketbufs.memory.Region;
import io.rocketbufs.memory.Vecs;

/**
 * The arguments of one write-with-immediate, filled in anew for each by the holder of a connection's sending side.
 *
 * <p>The gathered bytes go to {@code remote} at {@code remoteOffset}, never across its end; where the receiver places,
 * the offset is ignored. A length of 0 is allowed and delivers the immediate data alone.
 *
 * <p><b>Thread-safety:</b> none. <b>Ownership:</b> the caller's; a transport copies what it needs before it returns.
 */
public final class WriteRequest {
    private final Vecs vecs;
    private Region region;
    private RemoteBuffer remote;
    private long remoteOffset;
    private int immediate;
    private boolean more;

    /** Makes a request that can gather {@code maxVecs} ranges. */
    public WriteRequest(int maxVecs) {
        vecs = new Vecs(maxVecs);
    }

    /** Starts a new request: empties the ranges and sets everything else. */
    public WriteRequest set(Region region, RemoteBuffer remote, long remoteOffset, int immediate) {
        vecs.clear();
        this.region = region;
        this.remote = remote;
        this.remoteOffset = remoteOffset;
        this.immediate = immediate;
        return this;
    }

    /** Changes the immediate data alone. */
    public void immediate(int immediate) {
        this.immediate = immediate;
    }

    /** Tells whether another request is going to follow at once; stays so until told otherwise. */
    public void more(boolean more) {
        this.more = more;
    }

    /** True when another request is going to follow at once, or {@link TransportConnection#push()}. */
    public boolean more() {
        return more;
    }

    /** The local ranges, all within {@link #region()}. */
    public Vecs vecs() {
        return vecs;
    }

    /** The region that the local ranges lie in. */
    public Region region() {
        return region;
    }

    /** Where the bytes go. */
    public RemoteBuffer remote() {
        return remote;
    }

    /** Offset in the remote buffer. */
    public long remoteOffset() {
        return remoteOffset;
    }

    /** 32 bits that the transport hands to the receiver and does not interpret. */
    public int immediate() {
        return immediate;
    }
}
