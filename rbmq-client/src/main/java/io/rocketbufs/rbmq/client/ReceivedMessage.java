package io.rocketbufs.rbmq.client;

import io.rocketbufs.rbmq.protocol.HeaderKey;
import io.rocketbufs.rbmq.protocol.MessageLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * A copy of a received message, which remains valid after the handler has returned.
 *
 * <p><b>Thread-safety:</b> immutable. <b>Ownership:</b> owns its bytes.
 */
public final class ReceivedMessage {
    private final String topic;
    private final int publisher;
    /** The headers, if any, followed by the payload. */
    private final byte[] bytes;

    private final int headersLength;

    /**
     * Creates a message.
     *
     * @param bytes headers and payload, which the caller must no longer change
     * @param headersLength length of the headers in bytes, including their length field; 0 without headers
     */
    ReceivedMessage(String topic, int publisher, byte[] bytes, int headersLength) {
        this.topic = topic;
        this.publisher = publisher;
        this.bytes = bytes;
        this.headersLength = headersLength;
    }

    /** Returns the topic. */
    public String topic() {
        return topic;
    }

    /** Returns the number that the broker assigned to the publisher. */
    public int publisher() {
        return publisher;
    }

    /**
     * Returns true if another member of the group may have received this message; see {@link Message#isRedelivered()}.
     */
    public boolean isRedelivered() {
        return headers().has(HeaderKey.REDELIVERED);
    }

    /** Returns the length of the message in bytes, excluding its headers. */
    public int length() {
        return bytes.length - headersLength;
    }

    /** Returns a new read-only, big-endian view of the message, excluding its headers. */
    public ByteBuffer buffer() {
        return ByteBuffer.wrap(bytes, headersLength, length()).slice().asReadOnlyBuffer();
    }

    /** Returns a copy of the message, excluding its headers. */
    public byte[] toBytes() {
        byte[] copy = new byte[length()];
        System.arraycopy(bytes, headersLength, copy, 0, copy.length);
        return copy;
    }

    /** Decodes the message as UTF-8, replacing each malformed sequence of bytes with U+FFFD. */
    public String text() {
        return new String(bytes, headersLength, length(), StandardCharsets.UTF_8);
    }

    /**
     * Returns a new view of the message's headers, which remains valid and may be used by one thread at a time; empty
     * if the message has no headers.
     */
    public MessageHeaders headers() {
        MessageHeaders headers = new MessageHeaders();
        if (headersLength > 0) {
            headers.set(ByteBuffer.wrap(bytes), 0, bytes.length);
        }
        return headers;
    }

    /** Returns the number of bytes of the copy: headers and payload. */
    int copiedLength() {
        return bytes.length;
    }

    /** Returns the number of bytes that the message occupies in a buffer: length field, headers and payload. */
    int frameLength() {
        return MessageLayout.frameLength(bytes.length);
    }
}
