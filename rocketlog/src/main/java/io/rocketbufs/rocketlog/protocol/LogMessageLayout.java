package io.rocketbufs.rocketlog.protocol;

import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * The layout of the messages between clients and broker: the common header, texts, and refusals. The messages are sent
 * as the application's control messages. All numbers are big-endian.
 *
 * <pre>
 *  0          1                4                   8
 *  +----------+----------------+-------------------+------
 *  | type     | zero           | int32 correlation | body
 *  +----------+----------------+-------------------+------
 *
 *  REFUSED    int32 kind, text
 *
 *  DESCRIBE, DESCRIBED, CREATE, CREATED: see {@link TopicMessageLayout}
 *  DELETE, DELETED, EXAMINE, EXAMINED: see {@link TopicStateLayout}
 *  PRODUCE, PRODUCING: see {@link ProduceMessageLayout}
 *  ACQUIRE, ACQUIRED: see {@link LeaseMessageLayout}
 *  OPEN, OPENED, CLOSE: see {@link SegmentMessageLayout}
 *  WAIT, READY: see {@link WaitMessageLayout}
 *
 *  text:      int16 length in bytes, UTF-8
 *  topic id:  identifies one creation of a topic; in a request, 0 for any topic with the name
 * </pre>
 *
 * <p>A response has the same correlation number as its request. Readers accept only messages of these forms. A
 * malformed message causes a {@link TransportException} with the code PROTOCOL, which ends the connection.
 *
 * <p><i>Thread-safety:</i> stateless.
 */
public final class LogMessageLayout {
    /** The topic id in requests of a client that does not know the id of the topic. */
    public static final long ANY_TOPIC = 0;

    /** Offset of the body in a message. */
    static final int BODY = 8;

    /** Length of the description of a grant, in bytes. */
    static final int GRANT_LENGTH = 32;

    private static final int CORRELATION = 4;
    private static final int LONGEST_TEXT = 4096;

    private LogMessageLayout() {}

    /** Returns the type of a message. */
    public static LogMessageType type(ByteBuffer message) {
        need(message, 0, BODY);
        LogMessageType type = LogMessageType.of(at(message, 0, Byte.BYTES).get());
        if (type == null || (message.getInt(message.position()) & 0xFFFFFF) != 0) {
            throw malformed("unknown type " + Integer.toHexString(message.getInt(message.position())));
        }
        return type;
    }

    /** Returns the correlation number of a message. */
    public static int correlation(ByteBuffer message) {
        return at(message, CORRELATION, Integer.BYTES).getInt();
    }

    /** Returns a REFUSED message. A problem that is too long is truncated. */
    public static ByteBuffer refused(int correlation, RefusedRequest refusal) {
        byte[] text = bytes(refusal.text(LONGEST_TEXT / 4));
        return put(
                        begin(LogMessageType.REFUSED, correlation, Integer.BYTES + Short.BYTES + text.length)
                                .putInt(refusal.kind().code()),
                        text)
                .flip();
    }

    /** Returns the kind of refusal in a REFUSED message. */
    public static LogRefusal refusal(ByteBuffer refused) {
        return LogRefusal.of(at(refused, BODY, Integer.BYTES).getInt());
    }

    /** Returns the text in a REFUSED message. */
    public static String reason(ByteBuffer refused) {
        return lastText(refused, BODY + Integer.BYTES);
    }

    static ByteBuffer begin(LogMessageType type, int correlation, int bodyLength) {
        return ByteBuffer.allocate(BODY + bodyLength)
                .put((byte) type.code())
                .position(CORRELATION)
                .putInt(correlation);
    }

    static byte[] bytes(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > LONGEST_TEXT) {
            throw new IllegalArgumentException("a text has " + bytes.length + " bytes; the maximum is " + LONGEST_TEXT);
        }
        return bytes;
    }

    static ByteBuffer put(ByteBuffer message, byte[] text) {
        return message.putShort((short) text.length).put(text);
    }

    /** Returns a view of a message that starts at the given index and has at least the given length. */
    static ByteBuffer at(ByteBuffer message, int index, int length) {
        need(message, index, length);
        return message.slice(message.position() + index, message.remaining() - index);
    }

    static String lastText(ByteBuffer message, int index) {
        ByteBuffer rest = at(message, index, Short.BYTES);
        String text = text(rest);
        end(rest);
        return text;
    }

    /** Reads a text at the buffer's position, and advances the position past it. */
    static String text(ByteBuffer rest) {
        need(rest, 0, Short.BYTES);
        int length = rest.getShort();
        if (length < 0 || length > LONGEST_TEXT) {
            throw malformed("a text has " + length + " bytes");
        }
        need(rest, 0, length);
        ByteBuffer bytes = rest.slice(rest.position(), length);
        rest.position(rest.position() + length);
        try {
            CharBuffer decoded = StandardCharsets.UTF_8.newDecoder().decode(bytes);
            return decoded.toString();
        } catch (CharacterCodingException e) {
            throw malformed("a text is not UTF-8");
        }
    }

    static void need(ByteBuffer message, int index, int length) {
        if (message.remaining() < index + length) {
            throw malformed("it ends after " + message.remaining() + " bytes");
        }
    }

    static void end(ByteBuffer rest) {
        if (rest.hasRemaining()) {
            throw malformed("it has " + rest.remaining() + " extra bytes");
        }
    }

    private static TransportException malformed(String problem) {
        return new TransportException(
                TransportException.Code.PROTOCOL, "malformed message of rocketlog's protocol: " + problem);
    }
}
