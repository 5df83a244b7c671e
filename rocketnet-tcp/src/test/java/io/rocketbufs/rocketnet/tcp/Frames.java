package io.rocketbufs.rocketnet.tcp;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Random;

/** The bytes of frames on the wire, encoded independently of the transport. */
final class Frames {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    Frames write(int immediate, byte[] payload) {
        return raw(immediate, payload.length, payload);
    }

    Frames control(byte[] message) {
        return raw(0, 0x40000000 | message.length, message);
    }

    Frames raw(int firstWord, int secondWord, byte[] payload) {
        bytes.writeBytes(
                ByteBuffer.allocate(8).putInt(firstWord).putInt(secondWord).array());
        bytes.writeBytes(payload);
        return this;
    }

    byte[] bytes() {
        return bytes.toByteArray();
    }

    /** Returns a random payload. */
    static byte[] payload(int length, long seed) {
        byte[] payload = new byte[length];
        new Random(seed).nextBytes(payload);
        return payload;
    }
}
