package io.rocketbufs.livestream;

import io.rocketbufs.rocketnet.TransportException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The layout of a {@link StreamDescription}, the only type of message that a relay sends to an edge. When an edge
 * connects, the relay sends the descriptions of all streams. After that, it sends a stream's description whenever the
 * stream starts or its description changes. A description is a control message, so it arrives before the chunks that
 * require it. Numbers are big-endian.
 *
 * <pre>
 *  0         1         2           3          4                    8
 *  +---------+---------+-----------+----------+--------------------+
 *  | type 1  | version | container | 0        | buffer id          |
 *  +---------+---------+-----------+----------+--------------------+
 *  | epoch                                                         |
 *  +---------------------------------------------------------------+
 *  | sequence base                                                 |
 *  +---------------------------------------------------------------+
 *  | capacity                                                      |
 *  +------------------------------------------+--------------------+
 *  | chunk limit                              | generation         |
 *  +------------------------------------------+--------------------+
 *  | target duration, ms                      | length | name …
 *  +--------------------+---------------------+-------
 *  | length | codecs …  | length | init …
 *  +--------------------+---------------------
 * </pre>
 *
 * Each length is 16 bits wide and precedes the field that it describes.
 *
 * <p><b>Source:</b> an addition; the paper (section 5) does not specify how servers discover streams.
 */
public final class DescriptionLayout {
    private static final byte TYPE = 1;
    private static final byte VERSION = 2;
    private static final int FIXED_LENGTH = 46;
    private static final int MAX_CODECS_LENGTH = 200;
    /** Maximum length of a control message over any transport, in bytes. */
    private static final int MAX_LENGTH = 16_376;
    /** Maximum length of an init segment in bytes. */
    public static final int MAX_INIT_LENGTH =
            MAX_LENGTH - FIXED_LENGTH - StreamName.MAX_LENGTH - MAX_CODECS_LENGTH - 2 * Short.BYTES;

    private DescriptionLayout() {}

    /** Encodes a description as a message. */
    public static ByteBuffer write(StreamDescription description) {
        byte[] name = text(description.name(), StreamName.MAX_LENGTH);
        byte[] codecs = text(description.codecs(), MAX_CODECS_LENGTH);
        byte[] init = description.init();
        if (init.length > MAX_INIT_LENGTH) {
            throw new IllegalArgumentException("init.length=" + init.length + " limit=" + MAX_INIT_LENGTH);
        }
        ByteBuffer message =
                ByteBuffer.allocate(FIXED_LENGTH + name.length + codecs.length + init.length + 2 * Short.BYTES);
        message.put(TYPE).put(VERSION);
        message.put((byte) description.container().ordinal()).put((byte) 0);
        message.putInt(description.bufferId()).putLong(description.epoch());
        message.putLong(description.sequenceBase()).putLong(description.capacity());
        message.putInt(description.chunkLimit()).putInt(description.generation());
        message.putInt(description.targetDurationMs());
        put(message, name);
        put(message, codecs);
        put(message, init);
        return message.flip();
    }

    /**
     * Decodes a message.
     *
     * @throws TransportException if the message is malformed or has an unknown type or version
     */
    public static StreamDescription read(ByteBuffer message) {
        try {
            byte type = message.get();
            byte version = message.get();
            if (type != TYPE || version != VERSION) {
                throw violation("the message has type=" + type + " version=" + version + " instead of type=" + TYPE
                        + " version=" + VERSION + "; relay and edges must run the same release");
            }
            int container = message.get();
            message.get();
            int bufferId = message.getInt();
            long epoch = message.getLong();
            long sequenceBase = message.getLong();
            long capacity = message.getLong();
            int chunkLimit = message.getInt();
            int generation = message.getInt();
            int targetDurationMs = message.getInt();
            String name = new String(take(message), StandardCharsets.UTF_8);
            String codecs = new String(take(message), StandardCharsets.UTF_8);
            byte[] init = take(message);
            if (container < 0 || container >= Container.values().length || !StreamName.isValid(name)) {
                throw violation(
                        "the stream has container=" + container + " and a name of " + name.length() + " characters");
            }
            if (chunkLimit < ChunkLayout.lengthOf(1)
                    || capacity < chunkLimit
                    || targetDurationMs < 1
                    || sequenceBase < 0) {
                throw violation("the stream has chunkLimit=" + chunkLimit + " targetDurationMs=" + targetDurationMs
                        + " capacity=" + capacity + " sequenceBase=" + sequenceBase);
            }
            return new StreamDescription(
                    name,
                    epoch,
                    sequenceBase,
                    bufferId,
                    capacity,
                    chunkLimit,
                    generation,
                    Container.values()[container],
                    targetDurationMs,
                    codecs,
                    init);
        } catch (BufferUnderflowException e) {
            throw violation("the message is truncated");
        }
    }

    private static byte[] text(String text, int limit) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > limit) {
            throw new IllegalArgumentException("\"" + text + "\" has more than " + limit + " bytes");
        }
        return bytes;
    }

    private static void put(ByteBuffer message, byte[] bytes) {
        message.putShort((short) bytes.length).put(bytes);
    }

    private static byte[] take(ByteBuffer message) {
        byte[] bytes = new byte[message.getShort() & 0xffff];
        message.get(bytes);
        return bytes;
    }

    private static TransportException violation(String what) {
        return new TransportException(TransportException.Code.PROTOCOL, "livestream protocol violation: " + what);
    }
}
