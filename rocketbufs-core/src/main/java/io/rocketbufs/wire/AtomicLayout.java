package io.rocketbufs.wire;

import java.nio.ByteBuffer;

/**
 * The body of ATOMIC_REQUEST: an operation on a word of granted memory.
 *
 * <pre>
 *  0            4             8          16          24         32
 *  +------------+-------------+----------+-----------+----------+
 *  |  grant id  |  operation  |  offset  |  operand  | expected |
 *  +------------+-------------+----------+-----------+----------+
 * </pre>
 *
 * The operation is 1 to add the operand to the word, or 2 to set the word to the operand if the word has the expected
 * value. The body of ATOMIC_ANSWER is the word's value before the operation:
 *
 * <pre>
 *  0          8
 *  +----------+
 *  |  before  |
 *  +----------+
 * </pre>
 */
public final class AtomicLayout {
    /** Length of a request's body in bytes. */
    public static final int REQUEST_LENGTH = 32;
    /** Length of an answer's body in bytes. */
    public static final int ANSWER_LENGTH = 8;
    /** The operation code for an addition. */
    public static final int ADD = 1;
    /** The operation code for a compare-and-swap. */
    public static final int SWAP = 2;

    private AtomicLayout() {}

    /** Writes the word's location and the operation; a call to {@link #putOperands} must follow. */
    public static void putWord(ByteBuffer message, int grantId, int operation, long offset) {
        message.putInt(grantId).putInt(operation).putLong(offset);
    }

    /** Writes the operands of a request. */
    public static void putOperands(ByteBuffer message, long operand, long expected) {
        message.putLong(operand).putLong(expected);
    }

    /** Returns the id of the grant. */
    public static int grantId(ByteBuffer body) {
        return body.getInt(body.position());
    }

    /** Returns {@link #ADD}, {@link #SWAP}, or an unknown code. */
    public static int operation(ByteBuffer body) {
        return body.getInt(body.position() + 4);
    }

    /** Returns the offset of the word in the granted memory. */
    public static long offset(ByteBuffer body) {
        return body.getLong(body.position() + 8);
    }

    /** Returns the number to add, or the new value. */
    public static long operand(ByteBuffer body) {
        return body.getLong(body.position() + 16);
    }

    /** Returns the value that {@link #SWAP} expects. */
    public static long expected(ByteBuffer body) {
        return body.getLong(body.position() + 24);
    }

    /** Writes the body of an answer. */
    public static void putBefore(ByteBuffer message, long before) {
        message.putLong(before);
    }

    /** Returns the word's value before the operation, read from an answer. */
    public static long before(ByteBuffer body) {
        return body.getLong(body.position());
    }
}
