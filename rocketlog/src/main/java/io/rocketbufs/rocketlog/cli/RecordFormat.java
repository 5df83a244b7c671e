package io.rocketbufs.rocketlog.cli;

import io.rocketbufs.json.Json;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;

/** A format in which {@code consume} writes records. */
@FunctionalInterface
interface RecordFormat {
    /**
     * Writes a record to the output's buffer.
     *
     * @param key null if the record has no key
     * @param value null if the record has no value
     */
    void write(int partition, long offset, long timestamp, ByteBuffer key, ByteBuffer value, RecordOutput output);

    /**
     * Returns a format that writes keys and values as unmodified bytes.
     *
     * @param withOffsets true to write the partition, the offset, and the timestamp first
     * @param afterKey bytes to write after the key; null to omit the key
     * @param asLine true to write a newline (0x0A) after each record whose value does not end with one
     */
    static RecordFormat text(boolean withOffsets, byte[] afterKey, boolean asLine) {
        return (partition, offset, timestamp, key, value, output) -> {
            if (withOffsets) {
                output.put((partition + "\t" + offset + "\t" + timestamp + "\t").getBytes(StandardCharsets.US_ASCII));
            }
            if (afterKey != null && key != null) {
                output.put(key);
                output.put(afterKey);
            }
            if (value != null) {
                output.put(value);
            }
            if (asLine && !endsLine(value)) {
                output.put((byte) '\n');
            }
        };
    }

    private static boolean endsLine(ByteBuffer value) {
        return value != null && value.hasRemaining() && value.get(value.limit() - 1) == '\n';
    }

    /** Writes a record as a JSON object on one line. */
    static void writeJson(
            int partition, long offset, long timestamp, ByteBuffer key, ByteBuffer value, RecordOutput output) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("partition", partition);
        object.put("offset", offset);
        object.put("timestamp", timestamp);
        object.put("key", textOf(key));
        object.put("value", textOf(value));
        output.put((Json.of(object) + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Returns the text that the bytes encode, or, if they are not valid UTF-8, an object that contains them in Base64.
     */
    private static Object textOf(ByteBuffer bytes) {
        if (bytes == null) {
            return null;
        }
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(bytes.duplicate()).toString();
        } catch (CharacterCodingException e) {
            byte[] copy = new byte[bytes.remaining()];
            bytes.get(bytes.position(), copy);
            return Map.of("base64", Base64.getEncoder().encodeToString(copy));
        }
    }
}
