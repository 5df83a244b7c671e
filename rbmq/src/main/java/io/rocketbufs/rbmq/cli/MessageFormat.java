package io.rocketbufs.rbmq.cli;

import io.rocketbufs.json.Json;
import io.rocketbufs.rbmq.client.Message;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A format for the messages that {@code sub} writes.
 *
 * <p><b>Thread-safety:</b> one thread at a time; the JSON format keeps its result between the two calls.
 */
interface MessageFormat {
    /** Returns the length of the formatted message in bytes. */
    int lengthOf(Message message);

    /** Writes the formatted message; called after {@link #lengthOf} of the same message. */
    void write(Message message, byte[] into, int offset);

    /** The message's bytes alone. */
    final class Raw implements MessageFormat {
        @Override
        public int lengthOf(Message message) {
            return message.length();
        }

        @Override
        public void write(Message message, byte[] into, int offset) {
            message.get(0, into, offset, message.length());
        }
    }

    /** The message's bytes and 0x0A. */
    final class Line implements MessageFormat {
        @Override
        public int lengthOf(Message message) {
            return message.length() + 1;
        }

        @Override
        public void write(Message message, byte[] into, int offset) {
            message.get(0, into, offset, message.length());
            into[offset + message.length()] = '\n';
        }
    }

    /** A JSON object with the topic and the message, as text or, if it is not UTF-8, in Base64. */
    final class JsonLine implements MessageFormat {
        private byte[] line;

        @Override
        public int lengthOf(Message message) {
            Map<String, Object> object = new LinkedHashMap<>();
            object.put("topic", message.topic());
            byte[] bytes = message.toBytes();
            try {
                object.put(
                        "message",
                        StandardCharsets.UTF_8
                                .newDecoder()
                                .decode(ByteBuffer.wrap(bytes))
                                .toString());
            } catch (CharacterCodingException e) {
                object.put("base64", Base64.getEncoder().encodeToString(bytes));
            }
            line = (Json.of(object) + "\n").getBytes(StandardCharsets.UTF_8);
            return line.length;
        }

        @Override
        public void write(Message message, byte[] into, int offset) {
            System.arraycopy(line, 0, into, offset, line.length);
        }
    }
}
