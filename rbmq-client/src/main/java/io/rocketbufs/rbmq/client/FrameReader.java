package io.rocketbufs.rbmq.client;

import io.rocketbufs.Segment;
import io.rocketbufs.rbmq.protocol.MessageLayout;
import java.nio.ByteBuffer;

/**
 * A reader that splits the transfers of one publisher's buffer into messages and checks every frame. A transfer that is
 * read on arrival must consist of whole messages. Transfers that have waited are read together, so their boundaries are
 * not checked.
 *
 * <p>A message that wraps around the end of the buffer is read through the segment. All other messages are read
 * directly from contiguous memory.
 *
 * <p><b>Thread-safety:</b> the connection's worker.
 */
final class FrameReader {
    /** The reason why the reader has stopped. */
    enum Ending {
        /** All messages have been handed over. */
        COMPLETE,
        /** The recipients accept no more messages; the remaining messages can be read later. */
        STOPPED,
        /** The next frame is malformed. */
        MALFORMED
    }

    private final Message message;
    private Recipients recipients;
    private Segment transfer;
    private long end;
    private boolean stopped;
    private long index;
    private long count;
    private long payloadLength;

    FrameReader(String topic, int publisher) {
        this.message = new Message(topic, publisher);
    }

    /** Sets the recipients of all messages read after this call. */
    void handTo(Recipients newRecipients) {
        recipients = newRecipients;
    }

    /** Returns true if the next message can be handed over. */
    boolean takes() {
        return recipients.takes();
    }

    /** Passes the messages in the first {@code length} bytes of a transfer to the recipients. */
    Ending read(Segment newTransfer, long length) {
        transfer = newTransfer;
        end = length;
        stopped = false;
        message.begin(newTransfer);
        index = 0;
        count = 0;
        payloadLength = 0;
        // The recipients change only between reads.
        Recipients to = recipients;
        readPiece(newTransfer.vec(0), 0, to);
        long pieceStart = newTransfer.vec(0).remaining();
        if (end > pieceStart && !stopped && (index == pieceStart || readWrapped(to))) {
            readPiece(newTransfer.vec(1), pieceStart, to);
        }
        to.count(count, payloadLength);
        if (stopped) {
            return Ending.STOPPED;
        }
        return index == end ? Ending.COMPLETE : Ending.MALFORMED;
    }

    /** Returns the number of bytes that have been read, which always end with a whole message. */
    long index() {
        return index;
    }

    /** Describes the malformed frame that stopped the reader. */
    String describeMalformed() {
        long left = end - index;
        if (left < MessageLayout.HEADER_LENGTH) {
            return "a frame is cut off after " + left + " bytes";
        }
        int field = MessageLayout.length(transfer, index);
        int length = MessageLayout.lengthWithHeaders(field);
        long remaining = left - MessageLayout.HEADER_LENGTH;
        return MessageLayout.hasHeaders(field) && length <= remaining
                ? "a frame has malformed headers: " + message.headers().problem()
                : "a frame has length=" + length + ", but " + remaining + " bytes remain";
    }

    /**
     * Reads the frames that are contained in a single vec, which starts at index {@code pieceStart} of the transfer.
     */
    private void readPiece(ByteBuffer piece, long pieceStart, Recipients to) {
        int first = piece.position();
        int limit = (int) Math.min(piece.limit(), first + end - pieceStart);
        int offset = first + (int) (index - pieceStart);
        while (limit - offset >= MessageLayout.HEADER_LENGTH) {
            if (!to.takes()) {
                stopped = true;
                break;
            }
            int length = MessageLayout.length(piece, offset);
            int payload = offset + MessageLayout.HEADER_LENGTH;
            if (length < 0) {
                length = MessageLayout.lengthWithHeaders(length);
                if (length > limit - payload || !handWithHeaders(piece, payload, pieceStart - first, length, to)) {
                    break;
                }
            } else if (length > limit - payload
                    || !hand(message.set(pieceStart + payload - first, length, piece, payload), to)) {
                break;
            }
            offset = payload + length;
        }
        index = pieceStart + offset - first;
    }

    /** Reads the frame that wraps around the end of the buffer; returns false if it is malformed or was not read. */
    private boolean readWrapped(Recipients to) {
        long payload = index + MessageLayout.HEADER_LENGTH;
        if (payload > end) {
            return false;
        }
        if (!to.takes()) {
            stopped = true;
            return false;
        }
        int length = MessageLayout.length(transfer, index);
        if (length < 0) {
            length = MessageLayout.lengthWithHeaders(length);
            if (length > end - payload || !handWrappedWithHeaders(payload, length, to)) {
                return false;
            }
        } else if (length > end - payload || !hand(message.setWrapped(payload, length), to)) {
            return false;
        }
        index = payload + length;
        return true;
    }

    /**
     * Checks the headers of a contiguous message, then passes the message to the recipients. Returns false if the
     * headers are malformed or the message was given back. Clears the headers afterwards, so that they need not be
     * cleared for messages without headers.
     *
     * @param body offset of the headers in the piece
     * @param shift difference between an index in the transfer and the offset in the piece
     * @param length length of headers and payload in bytes
     */
    private boolean handWithHeaders(ByteBuffer piece, int body, long shift, int length, Recipients to) {
        MessageHeaders headers = message.headers();
        if (!headers.set(piece, body, length)) {
            return false;
        }
        int payload = body + headers.length();
        boolean isRead = hand(message.set(payload + shift, length - headers.length(), piece, payload), to);
        headers.clear();
        return isRead;
    }

    /** Like {@link #handWithHeaders}, but for a message that wraps; the headers are at an index of the transfer. */
    private boolean handWrappedWithHeaders(long body, int length, Recipients to) {
        MessageHeaders headers = message.headers();
        if (!headers.setWrapped(transfer, body, length)) {
            return false;
        }
        boolean isRead = hand(message.setWrapped(body + headers.length(), length - headers.length()), to);
        headers.clear();
        return isRead;
    }

    /** Passes a message to the recipients; returns false if it was given back, so reading must stop before it. */
    private boolean hand(Message next, Recipients to) {
        if (!to.hand(next)) {
            stopped = true;
            return false;
        }
        count++;
        payloadLength += next.length();
        return true;
    }
}
