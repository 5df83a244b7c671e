package io.rocketbufs.grant;

import io.rocketbufs.memory.Region;
import io.rocketbufs.rocketnet.Capabilities;

/**
 * A one-sided operation posted by the application; the object is reused.
 *
 * <p><b>Ownership:</b> holds a lease on its region, if any, from {@link #retain} to {@link #release}.
 */
final class PostedOperation {
    /** The kinds of operations, each with the transport operation that it needs. */
    enum Kind {
        WRITE(Capabilities.Operation.WRITE_WITH_IMMEDIATE),
        PUT(Capabilities.Operation.PUT),
        READ(Capabilities.Operation.READ),
        ADD(Capabilities.Operation.FETCH_ADD),
        SWAP(Capabilities.Operation.COMPARE_SWAP);

        private final Capabilities.Operation needed;

        Kind(Capabilities.Operation needed) {
            this.needed = needed;
        }

        Capabilities.Operation needed() {
            return needed;
        }
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

    // Each of the following methods sets the fields of this operation and returns the operation.

    PostedOperation write(Region from, long fromOffset, int count, long remoteOffset, int ofWrite) {
        transfer(Kind.WRITE, from, fromOffset, count, remoteOffset);
        number = ofWrite;
        return this;
    }

    PostedOperation put(Region from, long fromOffset, int count, long remoteOffset) {
        transfer(Kind.PUT, from, fromOffset, count, remoteOffset);
        return this;
    }

    PostedOperation read(long remoteOffset, int count, Region into, long intoOffset, long reportedWith) {
        transfer(Kind.READ, into, intoOffset, count, remoteOffset);
        context = reportedWith;
        return this;
    }

    PostedOperation add(long remoteOffset, long addend, long reportedWith) {
        transfer(Kind.ADD, null, 0, Long.BYTES, remoteOffset);
        context = reportedWith;
        operand = addend;
        return this;
    }

    PostedOperation swap(long remoteOffset, long expectedValue, long desired, long reportedWith) {
        transfer(Kind.SWAP, null, 0, Long.BYTES, remoteOffset);
        context = reportedWith;
        operand = desired;
        expected = expectedValue;
        return this;
    }

    private void transfer(Kind of, Region local, long localOffset, int count, long remoteOffset) {
        kind = of;
        region = local;
        regionOffset = localOffset;
        length = count;
        offset = remoteOffset;
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

    /** Returns true for a write or a put. The peer does not report the completion of these operations. */
    boolean isWrite() {
        return kind == Kind.WRITE || kind == Kind.PUT;
    }

    boolean isAtomic() {
        return kind == Kind.ADD || kind == Kind.SWAP;
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
