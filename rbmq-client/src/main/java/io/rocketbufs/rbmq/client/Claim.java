package io.rocketbufs.rbmq.client;

import io.rocketbufs.Segment;
import io.rocketbufs.rbmq.protocol.MessageLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Space for one message in a publisher's buffer. The caller writes the message in place, and then commits or aborts the
 * claim. A claim of a {@link PublishBatch} adds its message to the batch, which publishes it later.
 *
 * <p><b>Thread-safety:</b> only the thread to which the claim was granted. <b>Ownership:</b> reused after
 * {@link #commit} or {@link #abort}, so the caller must not use the claim after that.
 */
public final class Claim {
    /** One refused claim per result, indexed by ordinal, so that polling for space does not allocate. */
    private static final Claim[] REFUSED = Arrays.stream(PublishResult.values())
            .map(why -> new Claim(null, why))
            .toArray(Claim[]::new);

    private final Owner owner;
    private final PublishResult refusal;
    private final MessageVecs vecs = new MessageVecs();
    private Segment frame;
    private Thread claimer;
    private int length;
    /** Index of the frame within the segment; always 0 except in a batch. */
    private int index;
    /** Index of the message within the segment; constant for a claim without headers, except in a batch. */
    private int start = MessageLayout.HEADER_LENGTH;

    /** The object that receives a claim when the application has closed it. */
    interface Owner {
        /** Called with the length of the message that the application has written. */
        PublishResult commit(Claim claim, int length);

        /** Called when the application discards the claim. */
        void abort(Claim claim);
    }

    private Claim(Owner owner, PublishResult refusal) {
        this.owner = owner;
        this.refusal = refusal;
    }

    /** Returns a new claim that calls the given owner when it is closed. */
    static Claim of(Owner owner) {
        return new Claim(owner, null);
    }

    static Claim refused(PublishResult why) {
        return REFUSED[why.ordinal()];
    }

    /** Grants this claim a frame whose length has already been written. */
    Claim grant(Segment newFrame, int newLength) {
        frame = newFrame;
        length = newLength;
        claimer = Thread.currentThread();
        return this;
    }

    /** Grants this claim a frame whose length and headers have already been written. */
    Claim grant(Segment newFrame, int newStart, int newLength) {
        start = newStart;
        return grant(newFrame, newLength);
    }

    /** Grants this claim the frame at an index within a segment that has further frames. */
    Claim grant(Segment frames, int newIndex, int newStart, int newLength) {
        index = newIndex;
        return grant(frames, newStart, newLength);
    }

    /** Returns the index of the message within the segment, after the length and the headers. */
    int start() {
        return start;
    }

    Segment frame() {
        return frame;
    }

    Thread claimer() {
        return claimer;
    }

    /** Returns true if this claim has space to write to; otherwise {@link #refusal()} returns the reason. */
    public boolean isGranted() {
        return refusal == null;
    }

    /** Returns the reason why this claim has no space; null if it has space. */
    public PublishResult refusal() {
        return refusal;
    }

    /**
     * Returns the length of the message in bytes, excluding its headers. All indices count from the end of the headers.
     */
    public int length() {
        return length;
    }

    /** Sets the byte at an index within the message. */
    public void putByte(int index, byte value) {
        frame.putByte(at(index, Byte.BYTES), value);
    }

    /** Sets the big-endian int at an index within the message. */
    public void putInt(int index, int value) {
        frame.putInt(at(index, Integer.BYTES), value);
    }

    /** Sets the big-endian long at an index within the message. */
    public void putLong(int index, long value) {
        frame.putLong(at(index, Long.BYTES), value);
    }

    /** Copies {@code count} bytes of an array, starting at {@code offset}, into the message at an index. */
    public void put(int index, byte[] from, int offset, int count) {
        frame.put(at(index, count), from, offset, count);
    }

    /** Returns the number of vecs: 0 for an empty message, 2 for one that wraps around the end of the buffer. */
    public int vecCount() {
        return vecs.count(frame, start, length);
    }

    /** Returns one of the message's vecs as a direct, big-endian buffer; its position and limit delimit the vec. */
    public ByteBuffer vec(int i) {
        return vecs.vec(frame, start, length, i);
    }

    /**
     * Publishes the message, or adds it to the batch. Returns PUBLISHED, or the reason if the topic has ended since the
     * claim was granted.
     */
    public PublishResult commit() {
        return commit(length);
    }

    /**
     * Publishes the first {@code newLength} bytes as the message, or adds them to the batch as a message; 0 makes the
     * message empty.
     *
     * @return PUBLISHED, or the reason if the topic has ended since the claim was granted
     */
    public PublishResult commit(int newLength) {
        if (newLength < 0 || newLength > length) {
            throw new IllegalArgumentException("newLength=" + newLength + " length=" + length);
        }
        if (newLength < length) {
            MessageLayout.shorten(frame, index, length - newLength);
        }
        return owner.commit(this, newLength);
    }

    /** Returns the space to the buffer without publishing anything. */
    public void abort() {
        owner.abort(this);
    }

    /** Converts an index within the message to an index within the segment. */
    private long at(int index, int count) {
        if (index < 0 || count > length - index) {
            throw new IndexOutOfBoundsException("index=" + index + " count=" + count + " length=" + length);
        }
        return start + index;
    }
}
