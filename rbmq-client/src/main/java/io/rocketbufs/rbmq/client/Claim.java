package io.rocketbufs.rbmq.client;

import io.rocketbufs.Segment;
import io.rocketbufs.rbmq.protocol.MessageLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Space for one message in a publisher's buffer, written in place and then committed or aborted.
 *
 * <p><b>Thread-safety:</b> belongs to who was given it. <b>Ownership:</b> reused after {@link #commit} or
 * {@link #abort}: do not touch it any more.
 */
public final class Claim {
    /** One of each, by ordinal: who polls for space makes no garbage. */
    private static final Claim[] REFUSED = Arrays.stream(PublishResult.values())
            .map(why -> new Claim(null, why))
            .toArray(Claim[]::new);

    private final Claims claims;
    private final PublishResult refusal;
    private final MessageVecs vecs = new MessageVecs();
    private Segment frame;
    private Thread claimer;
    private int length;

    private Claim(Claims claims, PublishResult refusal) {
        this.claims = claims;
        this.refusal = refusal;
    }

    static Claim of(Claims claims) {
        return new Claim(claims, null);
    }

    static Claim refused(PublishResult why) {
        return REFUSED[why.ordinal()];
    }

    /** Gives this claim a frame whose length is written. */
    Claim grant(Segment newFrame, int newLength) {
        frame = newFrame;
        length = newLength;
        claimer = Thread.currentThread();
        return this;
    }

    Segment frame() {
        return frame;
    }

    Thread claimer() {
        return claimer;
    }

    /** True when there is space to write to; else {@link #refusal()} says why not. */
    public boolean isGranted() {
        return refusal == null;
    }

    /** Why there is no space; null when there is. */
    public PublishResult refusal() {
        return refusal;
    }

    /** Bytes of the message. */
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

    /** Copies into the message. */
    public void put(int index, byte[] from, int offset, int count) {
        frame.put(at(index, count), from, offset, count);
    }

    /** Number of vecs: 0 of an empty message, 2 where it wraps around the buffer's end. */
    public int vecCount() {
        return vecs.count(frame, MessageLayout.HEADER_LENGTH, length);
    }

    /** A direct big-endian buffer, of which the bytes from position to limit belong to the message. */
    public ByteBuffer vec(int i) {
        return vecs.vec(frame, MessageLayout.HEADER_LENGTH, length, i);
    }

    /** Publishes the message: PUBLISHED, or why the topic ended meanwhile. */
    public PublishResult commit() {
        return commit(length);
    }

    /**
     * Publishes the first {@code newLength} bytes as the message; 0 is an empty message.
     *
     * @return PUBLISHED, or why the topic ended meanwhile
     */
    public PublishResult commit(int newLength) {
        if (newLength < 0 || newLength > length) {
            throw new IllegalArgumentException("newLength=" + newLength + " length=" + length);
        }
        if (newLength < length) {
            MessageLayout.putLength(frame, newLength);
        }
        return claims.commit(this, newLength);
    }

    /** Gives the space back; nothing is published. */
    public void abort() {
        claims.abort(this);
    }

    /** Index within the frame. */
    private long at(int index, int count) {
        if (index < 0 || count > length - index) {
            throw new IndexOutOfBoundsException("index=" + index + " count=" + count + " length=" + length);
        }
        return MessageLayout.HEADER_LENGTH + index;
    }
}
