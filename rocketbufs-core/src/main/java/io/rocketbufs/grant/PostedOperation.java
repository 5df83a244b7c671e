package io.rocketbufs.grant;

import io.rocketbufs.memory.Region;

/**
 * A one-sided operation that the application has posted; reused.
 *
 * <p><b>Ownership:</b> holds a lease of its region, if it has one, from {@link #retain} to {@link #release}.
 */
final class PostedOperation {
    /** The kinds of operations. */
    enum Kind {
        WRITE,
        PUT,
        READ,
        ADD,
        SWAP
    }

    private Kind kind;
    private Region region;
    private long regionOffset;
    private int length;
    private long offset;
    private int number;
    private long context;
    private long operand;
    private long expected;

    /** Sets an operation between a part of a region and remote memory. */
    void transfer(Kind of, Region local, long localOffset, int count, long remoteOffset) {
        kind = of;
        region = local;
        regionOffset = localOffset;
        length = count;
        offset = remoteOffset;
    }

    /** Sets the number of a write. */
    void number(int value) {
        number = value;
    }

    /** Sets the value that the completion is reported with. */
    void context(long value) {
        context = value;
    }

    /** Sets an atomic operation. */
    void atomic(Kind of, long remoteOffset, long newOperand, long newExpected) {
        kind = of;
        region = null;
        length = Long.BYTES;
        offset = remoteOffset;
        operand = newOperand;
        expected = newExpected;
    }

    void retain() {
        if (region != null) {
            region.retain();
        }
    }

    void release() {
        Region held = region;
        region = null;
        if (held != null) {
            held.release();
        }
    }

    Kind kind() {
        return kind;
    }

    /** Returns true for a write or a put, whose completion is not reported by the peer. */
    boolean isWrite() {
        return kind == Kind.WRITE || kind == Kind.PUT;
    }

    Region region() {
        return region;
    }

    long regionOffset() {
        return regionOffset;
    }

    int length() {
        return length;
    }

    /** Returns the offset in the remote memory. */
    long offset() {
        return offset;
    }

    int number() {
        return number;
    }

    long context() {
        return context;
    }

    long operand() {
        return operand;
    }

    long expected() {
        return expected;
    }
}
