package io.rocketbufs.rocketnet;

import io.rocketbufs.memory.Region;

/**
 * The arguments of one read. The holder of a connection's sending side fills them in for each read.
 *
 * <p>The bytes of {@code remote} at {@code remoteOffset} are read into one range of {@code region}. There is only one
 * local range, because devices differ in the number of ranges into which they can read.
 *
 * <p><b>Thread-safety:</b> none. <b>Ownership:</b> belongs to the caller; a transport copies the values that it needs
 * before its method returns.
 */
public final class ReadRequest {
    private Region region;
    private long offset;
    private int length;
    private RemoteBuffer remote;
    private long remoteOffset;
    private long context;

    /** Sets the local range and its remote source; does not change the context. */
    public ReadRequest set(Region region, long offset, int length, RemoteBuffer remote, long remoteOffset) {
        this.region = region;
        this.offset = offset;
        this.length = length;
        this.remote = remote;
        this.remoteOffset = remoteOffset;
        return this;
    }

    /** Sets the value that {@link TransportHandler#readCompleted} returns to the caller. */
    public ReadRequest context(long value) {
        context = value;
        return this;
    }

    /**
     * Checks the request against the limits of a connection.
     *
     * @param longest the connection's {@link Capabilities#longestRead()}
     * @throws IllegalArgumentException if the length is not from 1 to {@code longest}, a range is not inside its
     *     memory, or the local memory is read-only
     */
    public void check(int longest) {
        boolean inside = offset >= 0
                && offset <= region.length() - length
                && remoteOffset >= 0
                && remoteOffset <= remote.capacity() - length;
        if (length < 1 || length > longest || !inside || !region.writable()) {
            throw new IllegalArgumentException("cannot read: length=" + length + ", longestRead=" + longest
                    + ", offset=" + offset + ", region length=" + region.length() + ", region writable="
                    + region.writable() + ", remoteOffset=" + remoteOffset + ", remote capacity="
                    + remote.capacity());
        }
    }

    /** Returns the region into which the bytes are read. */
    public Region region() {
        return region;
    }

    /** Returns the offset in the region. */
    public long offset() {
        return offset;
    }

    /** Returns the number of bytes to read. */
    public int length() {
        return length;
    }

    /** Returns the buffer to read from. */
    public RemoteBuffer remote() {
        return remote;
    }

    /** Returns the offset in the remote buffer. */
    public long remoteOffset() {
        return remoteOffset;
    }

    /** Returns the caller's value, which the transport does not interpret. */
    public long context() {
        return context;
    }
}
