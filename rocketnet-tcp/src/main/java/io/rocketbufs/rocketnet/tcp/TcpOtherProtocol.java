package io.rocketbufs.rocketnet.tcp;

import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * The recognition of other well-known protocols by the first four bytes of a connection, so that an error can name
 * them.
 *
 * <p>These bytes are the immediate data of the first frame, which is 0 in this protocol. They are examined only when
 * the first frame is invalid, so recognition costs nothing on a valid connection.
 */
final class TcpOtherProtocol {
    private static final Map<Integer, String> BY_TEXT = Map.ofEntries(
            Map.entry(bytes("GET "), "HTTP"),
            Map.entry(bytes("POST"), "HTTP"),
            Map.entry(bytes("HEAD"), "HTTP"),
            Map.entry(bytes("PUT "), "HTTP"),
            Map.entry(bytes("OPTI"), "HTTP"),
            Map.entry(bytes("DELE"), "HTTP"),
            Map.entry(bytes("HTTP"), "HTTP"),
            Map.entry(bytes("PRI "), "HTTP"), // version 2
            Map.entry(bytes("CONN"), "NATS"),
            Map.entry(bytes("INFO"), "NATS"),
            Map.entry(bytes("-ERR"), "RESP (Redis)"),
            Map.entry(bytes("SSH-"), "SSH"),
            Map.entry(bytes("AMQP"), "AMQP"));

    private static final int TLS_ALERT = 0x15;
    private static final int TLS_HANDSHAKE = 0x16;
    private static final int TLS_MAJOR_VERSION = 3;
    private static final int MQTT_CONNECT = 0x10;
    private static final int MQTT_NAME_LENGTH = 4;

    private TcpOtherProtocol() {}

    /**
     * Returns the name of the protocol that starts with these bytes, or null if unknown. The highest bits contain the
     * first byte.
     */
    static String of(int firstBytes) {
        int first = firstBytes >>> 24;
        int second = firstBytes >>> 16 & 0xff;
        if ((first == TLS_HANDSHAKE || first == TLS_ALERT) && second == TLS_MAJOR_VERSION) {
            return "TLS";
        }
        if (first == '*' && second >= '1' && second <= '9') {
            return "RESP (Redis)";
        }
        if (first == MQTT_CONNECT && isMqttName(firstBytes, second)) {
            return "MQTT";
        }
        return BY_TEXT.get(firstBytes);
    }

    /** Returns whether the packet length (one or two bytes) is followed by the length of "MQTT". */
    private static boolean isMqttName(int firstBytes, int second) {
        return second < 0x80 ? (firstBytes & 0xffff) == MQTT_NAME_LENGTH : (firstBytes & 0xff) == 0;
    }

    private static int bytes(String text) {
        byte[] ascii = text.getBytes(StandardCharsets.US_ASCII);
        return ascii[0] << 24 | ascii[1] << 16 | ascii[2] << 8 | ascii[3];
    }
}
