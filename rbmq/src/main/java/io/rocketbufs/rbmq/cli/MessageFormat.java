package io.rocketbufs.rbmq.cli;

import io.rocketbufs.json.Json;
import io.rocketbufs.rbmq.client.Header;
import io.rocketbufs.rbmq.client.Message;
import io.rocketbufs.rbmq.client.MessageHeaders;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A format for the messages that {@code sub} writes.
 *
 * <p><b>Thread-safety:</b> one thread at a time; some formats keep a result between the two calls.
 */
interface MessageFormat {
    /** Returns the length of the formatted message in bytes. */
    int lengthOf(Message message);

    /** Writes the formatted message. Called after {@link #lengthOf} for the same message. */
    void write(Message message, byte[] into, int offset);

    /** Only the message's bytes. */
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

    /** The message's bytes followed by a newline. */
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

    /** The topic, a space and the message's bytes, followed by a newline. */
    final class TopicLine implements MessageFormat {
        private final Line line = new Line();
        private String topic = "";
        private byte[] prefix = {};

        @Override
        public int lengthOf(Message message) {
            if (!topic.equals(message.topic())) {
                topic = message.topic();
                prefix = (topic + " ").getBytes(StandardCharsets.UTF_8);
            }
            return prefix.length + line.lengthOf(message);
        }

        @Override
        public void write(Message message, byte[] into, int offset) {
            System.arraycopy(prefix, 0, into, offset, prefix.length);
            line.write(message, into, offset + prefix.length);
        }
    }

    /** One line for each header, an empty line, and the message in another format. */
    final class WithHeaders implements MessageFormat {
        private final MessageFormat format;
        private byte[] headers;

        WithHeaders(MessageFormat format) {
            this.format = format;
        }

        @Override
        public int lengthOf(Message message) {
            StringBuilder text = new StringBuilder();
            message.headers().forEach(header -> append(header, text));
            headers = text.append('\n').toString().getBytes(StandardCharsets.UTF_8);
            return headers.length + format.lengthOf(message);
        }

        private static void append(Header header, StringBuilder text) {
            byte[] value = header.toBytes();
            String decoded = utf8(value);
            text.append(unambiguous(header.key()));
            if (decoded != null && decoded.chars().noneMatch(Character::isISOControl)) {
                text.append(": ").append(decoded);
            } else {
                text.append(":: ").append(base64(value));
            }
            text.append('\n');
        }

        /** Returns the key, encoded as a JSON string if it contains a colon or starts with a quotation mark. */
        private static String unambiguous(String key) {
            return key.indexOf(':') < 0 && !key.startsWith("\"") ? key : Json.of(key);
        }

        @Override
        public void write(Message message, byte[] into, int offset) {
            System.arraycopy(headers, 0, into, offset, headers.length);
            format.write(message, into, offset + headers.length);
        }
    }

    /**
     * A JSON object with the topic, the headers and the message. Values are text or, if they are not valid UTF-8,
     * Base64.
     */
    final class JsonLine implements MessageFormat {
        private byte[] line;

        @Override
        public int lengthOf(Message message) {
            Map<String, Object> object = new LinkedHashMap<>();
            object.put("topic", message.topic());
            if (!message.headers().isEmpty()) {
                object.put("headers", headers(message.headers()));
            }
            byte[] bytes = message.toBytes();
            String text = utf8(bytes);
            if (text != null) {
                object.put("message", text);
            } else {
                object.put("base64", base64(bytes));
            }
            line = (Json.of(object) + "\n").getBytes(StandardCharsets.UTF_8);
            return line.length;
        }

        private static Map<String, Object> headers(MessageHeaders headers) {
            Map<String, List<Object>> values = new LinkedHashMap<>();
            headers.forEach(header -> {
                byte[] bytes = header.toBytes();
                String text = utf8(bytes);
                values.computeIfAbsent(header.key(), key -> new ArrayList<>(1))
                        .add(text != null ? text : Map.of("base64", base64(bytes)));
            });
            Map<String, Object> object = new LinkedHashMap<>();
            values.forEach((key, all) -> object.put(key, all.size() == 1 ? all.get(0) : all));
            return object;
        }

        @Override
        public void write(Message message, byte[] into, int offset) {
            System.arraycopy(line, 0, into, offset, line.length);
        }
    }

    /** Decodes UTF-8; returns null if the bytes are not valid UTF-8. */
    private static String utf8(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    private static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }
}
