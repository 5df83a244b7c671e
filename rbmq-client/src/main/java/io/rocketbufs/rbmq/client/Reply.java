package io.rocketbufs.rbmq.client;

import io.rocketbufs.rbmq.protocol.HeaderKey;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The reply to a request.
 *
 * <p><b>Thread-safety:</b> immutable, except for the array, which belongs to the caller. <b>Ownership:</b> a copy of
 * the received message, which remains valid.
 */
public final class Reply {
    private final byte[] bytes;
    private final Map<String, String> headers;

    private Reply(byte[] bytes, Map<String, String> headers) {
        this.bytes = bytes;
        this.headers = headers;
    }

    /** Copies a received message. */
    static Reply of(Message message) {
        return new Reply(message.toBytes(), headers(message.headers()));
    }

    private static Map<String, String> headers(MessageHeaders received) {
        if (received.size() == 1) { // only the correlation id
            return Map.of();
        }
        Map<String, String> headers = new LinkedHashMap<>();
        received.forEach(header -> {
            if (!header.isKey(HeaderKey.CORRELATION)) {
                headers.putIfAbsent(header.key(), header.text());
            }
        });
        return Collections.unmodifiableMap(headers);
    }

    /** Returns the length of the reply in bytes, excluding its headers. */
    public int length() {
        return bytes.length;
    }

    /** Returns the reply's bytes. Every call returns the same array. */
    public byte[] bytes() {
        return bytes;
    }

    /** Decodes the reply as UTF-8, replacing each malformed sequence of bytes with U+FFFD. */
    public String text() {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /**
     * Returns the headers that the responder has added, in order. If several headers have the same key, the map
     * contains the first of them.
     */
    public Map<String, String> headers() {
        return headers;
    }
}
