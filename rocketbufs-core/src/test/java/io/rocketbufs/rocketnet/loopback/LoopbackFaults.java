package io.rocketbufs.rocketnet.loopback;

/**
 * The simulated faults in one direction of a link. They may be changed while the link is in use.
 *
 * <p>Numbers of bytes refer to writes and control messages, without headers.
 *
 * <p><b>Thread-safety:</b> any thread. Locks are acquired in the order pipe, faults.
 */
public final class LoopbackFaults {
    private static final long NO_LIMIT = Long.MAX_VALUE;

    private final LoopbackPipe pipe;
    private final LoopbackNetwork network;
    private long latencyMs;
    private long allowed = NO_LIMIT;
    private long untilCut = NO_LIMIT;
    private int longestPiece = Integer.MAX_VALUE;
    private boolean randomPieces;
    private boolean silent;

    LoopbackFaults(LoopbackPipe pipe, LoopbackNetwork network) {
        this.pipe = pipe;
        this.network = network;
    }

    /** Delays the arrival of all data posted after this call by at least the given time. */
    public synchronized LoopbackFaults latencyMs(long value) {
        latencyMs = value;
        return this;
    }

    /** Stops consumption, as if the receiving process were stopped. The buffers between the two sides then fill up. */
    public LoopbackFaults hold() {
        return allow(0);
    }

    /** Ends {@link #hold()}. */
    public LoopbackFaults resume() {
        return allow(NO_LIMIT);
    }

    /** Allows the given number of further bytes to arrive, and then has the same effect as {@link #hold()}. */
    public LoopbackFaults allow(long bytes) {
        synchronized (this) {
            allowed = bytes;
        }
        pipe.kick();
        return this;
    }

    /** Stores at most {@code length} bytes at a time. The receiver's other tasks run between any two pieces. */
    public LoopbackFaults pieces(int length) {
        return pieces(length, false);
    }

    /** Stores a random number of bytes, from 1 to {@code longest}, at a time. */
    public LoopbackFaults randomPieces(int longest) {
        return pieces(longest, true);
    }

    private synchronized LoopbackFaults pieces(int longest, boolean random) {
        longestPiece = longest;
        randomPieces = random;
        return this;
    }

    /** Cuts the link once the given number of further bytes has arrived in this direction. */
    public LoopbackFaults cutAfter(long bytes) {
        synchronized (this) {
            untilCut = bytes;
        }
        if (bytes == 0) {
            pipe.link().cut();
        }
        return this;
    }

    /** Drops everything permanently: no bytes arrive, and the receiver sees neither an end nor a failure. */
    public synchronized LoopbackFaults drop() {
        silent = true;
        return this;
    }

    /**
     * Ends this direction after all committed data, as if its sender had finished. Data that the sender adds later is
     * dropped.
     */
    public LoopbackFaults halfClose() {
        pipe.finish();
        return this;
    }

    /** Sends this direction's sender one spurious notification that it may write. */
    public LoopbackFaults spuriousWritable() {
        pipe.tellWritable();
        return this;
    }

    synchronized long dueNs() {
        return System.nanoTime() + latencyMs * 1_000_000;
    }

    synchronized boolean silent() {
        return silent;
    }

    synchronized boolean stopped() {
        return silent || allowed == 0;
    }

    synchronized boolean inPieces() {
        return longestPiece < Integer.MAX_VALUE;
    }

    /** Returns the number of the {@code available} bytes that may arrive together at this time. */
    synchronized int next(int available) {
        int piece = randomPieces ? 1 + network.random(longestPiece) : longestPiece;
        return (int) Math.min(Math.min(available, piece), Math.min(allowed, untilCut));
    }

    /** Counts bytes that have arrived; returns true if the link must be cut at this point. */
    synchronized boolean passed(int count) {
        allowed = less(allowed, count);
        untilCut = less(untilCut, count);
        return untilCut == 0;
    }

    /**
     * Returns the limit minus the count, but at least 0: the limit may have been set while the bytes were in transit.
     */
    private static long less(long limit, int count) {
        return limit == NO_LIMIT ? NO_LIMIT : Math.max(0, limit - count);
    }
}
