package io.rocketbufs.rbmq.broker;

import io.rocketbufs.Segment;
import io.rocketbufs.rbmq.protocol.HeaderKey;
import io.rocketbufs.rbmq.protocol.HeaderLayout;
import io.rocketbufs.rbmq.protocol.MessageLayout;
import java.nio.ByteBuffer;

/**
 * A few complete messages at the start of a range of bytes, found by their lengths. A copy of the messages can be
 * marked as redelivered: the mark is the header {@link HeaderKey#REDELIVERED}, which precedes all other headers.
 *
 * <pre>
 *   without headers   | length      |                          payload |
 *   marked            | length + 5  | 3 | redelivered |        payload |
 *
 *   with headers      | length      | n     |      n bytes   | payload |
 *   marked            | length + 3  | n + 3 | redelivered | n | payload |
 * </pre>
 *
 * <p>Lengths stated by publishers are not trusted: no byte outside the range is read.
 *
 * <p><b>Thread-safety:</b> one thread.
 */
final class MessageBatch {
    private static final int NOT_FOUND = -1;
    private static final int FIELD = MessageLayout.HEADER_LENGTH;

    private final byte[] mark = new byte[HeaderLayout.pairLength(HeaderKey.REDELIVERED, 0)];
    /** The offset in the range at which each message ends. */
    private final long[] ends;

    private Segment range;
    /** Describes why the message that follows the batch is malformed; null if it is not. */
    private String problem;

    private int count;
    /** True if the copy is marked. */
    private boolean marked;
    /** Maximum length in bytes of a message in a marked copy. */
    private long longest;

    private long copyLength;

    /** Creates a batch of at most {@code limit} messages. */
    MessageBatch(int limit) {
        ends = new long[limit];
        HeaderLayout.putKey(mark, 0, HeaderKey.REDELIVERED, 0);
    }

    /**
     * Finds complete messages at the start of a range.
     *
     * @param most maximum number of messages, at least 1
     * @param room maximum number of bytes; a single message may be longer
     * @return false if the range does not start with a complete message
     */
    boolean find(Segment data, int most, long room) {
        range = data;
        problem = null;
        marked = false;
        count = 0;
        long start = 0;
        while (count < most && start < data.length()) {
            long end = endOf(start);
            if (end == NOT_FOUND || count > 0 && end > room) {
                break; // a malformed message is reported once it is the first of a batch
            }
            ends[count++] = end;
            start = end;
        }
        copyLength = length();
        return count > 0;
    }

    /**
     * Returns the end of a message as a subscriber would determine it. No subscriber could continue after a malformed
     * message.
     */
    private long endOf(long start) {
        long length = range.length() - start;
        int field = length < FIELD ? 0 : MessageLayout.length(range, start);
        long end = start + FIELD + MessageLayout.lengthWithHeaders(field);
        if (end > range.length()) {
            problem = "its length exceeds the " + length + " bytes of its delivery";
            return NOT_FOUND;
        }
        if (MessageLayout.hasHeaders(field)) {
            int pairs = pairCount(start + FIELD, end);
            if (pairs == 0 || pairs > HeaderLayout.MAX_COUNT) {
                problem = "its headers do not consist of 1 to " + HeaderLayout.MAX_COUNT + " keys and values";
                return NOT_FOUND;
            }
        }
        return end;
    }

    /** Returns why {@link #find} found no message. */
    String problem() {
        return problem;
    }

    /** Returns the number of messages. */
    int count() {
        return count;
    }

    /** Returns the number of bytes of the messages in the range. */
    long length() {
        return count == 0 ? 0 : ends[count - 1];
    }

    /** Returns the number of bytes of a copy. */
    long copyLength() {
        return copyLength;
    }

    /**
     * Marks the messages in the copy as redelivered, except for messages whose headers or total length would then be
     * too long. The range must itself be a copy that no publisher can change, because lengths are read more than once.
     *
     * @param limit maximum length in bytes of a message in the copy, including its length field
     */
    void mark(long limit) {
        marked = true;
        longest = limit;
        copyLength = length();
        for (int i = 0; i < count; i++) {
            copyLength += added(i);
        }
    }

    private long start(int i) {
        return i == 0 ? 0 : ends[i - 1];
    }

    private int field(int i) {
        return MessageLayout.length(range, start(i));
    }

    /**
     * Returns the number of bytes that the mark adds to a message; 0 if the message is not marked or already bears the
     * mark.
     */
    private int added(int i) {
        long length = ends[i] - start(i);
        if (!MessageLayout.hasHeaders(field(i))) {
            int added = HeaderLayout.LENGTH_FIELD + mark.length;
            return length + added <= longest ? added : 0;
        }
        long block = start(i) + FIELD;
        int pairs = HeaderLayout.length(range.getByte(block), range.getByte(block + 1));
        boolean fits = length + mark.length <= longest
                && pairs + mark.length <= HeaderLayout.MAX_LENGTH
                && pairCount(block, ends[i]) < HeaderLayout.MAX_COUNT;
        return fits && range.getByte(block + HeaderLayout.LENGTH_FIELD) != mark[0] ? mark.length : 0;
    }

    /** Returns the number of headers; {@link Integer#MAX_VALUE} if they are malformed. */
    private int pairCount(long block, long end) {
        long at = block + HeaderLayout.LENGTH_FIELD;
        if (at > end) {
            return Integer.MAX_VALUE;
        }
        long last = at + HeaderLayout.length(range.getByte(block), range.getByte(block + 1));
        int pairs = 0;
        while (at < last && last <= end) {
            int keyByte = range.getByte(at) & 0xff;
            if (at + HeaderLayout.valueOffset(keyByte) > last || !isKey(at, keyByte)) {
                return Integer.MAX_VALUE;
            }
            long lengthAt = at + HeaderLayout.valueLengthOffset(keyByte);
            at += HeaderLayout.valueOffset(keyByte)
                    + HeaderLayout.length(range.getByte(lengthAt), range.getByte(lengthAt + 1));
            pairs++;
        }
        return at == last ? pairs : Integer.MAX_VALUE;
    }

    private boolean isKey(long pair, int keyByte) {
        int state = keyByte == 0 ? HeaderKey.MALFORMED : HeaderKey.CHARACTER;
        long keyEnd = pair + HeaderLayout.valueLengthOffset(keyByte);
        for (long at = pair + HeaderLayout.KEY_OFFSET; at < keyEnd && state != HeaderKey.MALFORMED; at++) {
            state = HeaderKey.next(state, range.getByte(at));
        }
        return state == HeaderKey.CHARACTER;
    }

    /**
     * Copies the messages.
     *
     * @param to a segment of {@link #copyLength()} bytes
     * @param copyEnds receives the ends of the messages in the copy
     */
    void copyTo(Segment to, long[] copyEnds) {
        if (!marked) {
            copy(0, to, 0, length());
            System.arraycopy(ends, 0, copyEnds, 0, count);
            return;
        }
        long at = 0;
        for (int i = 0; i < count; i++) {
            at = copyMarked(i, to, at);
            copyEnds[i] = at;
        }
    }

    private long copyMarked(int i, Segment to, long at) {
        int added = added(i);
        long start = start(i);
        long length = ends[i] - start;
        if (added == 0) {
            copy(start, to, at, length);
            return at + length;
        }
        boolean hasHeaders = MessageLayout.hasHeaders(field(i));
        long rest = start + FIELD + (hasHeaders ? HeaderLayout.LENGTH_FIELD : 0);
        int pairs = mark.length;
        if (hasHeaders) {
            pairs += HeaderLayout.length(range.getByte(start + FIELD), range.getByte(start + FIELD + 1));
        }
        byte[] head = new byte[HeaderLayout.LENGTH_FIELD];
        HeaderLayout.putBlockLength(head, HeaderLayout.LENGTH_FIELD + pairs);
        to.putInt(at, (int) (length + added - FIELD) | MessageLayout.HEADERS_FOLLOW);
        to.put(at + FIELD, head, 0, head.length);
        to.put(at + FIELD + head.length, mark, 0, mark.length);
        copy(rest, to, at + FIELD + head.length + mark.length, ends[i] - rest);
        return at + length + added;
    }

    private void copy(long from, Segment to, long at, long length) {
        long start = from;
        long done = 0;
        for (int i = 0; i < range.vecCount() && done < length; i++) {
            ByteBuffer vec = range.vec(i);
            long left = vec.remaining() - start;
            if (left > 0) {
                int part = (int) Math.min(left, length - done);
                to.put(at + done, vec, vec.position() + (int) start, part);
                done += part;
                start = 0;
            } else {
                start -= vec.remaining();
            }
        }
    }
}
