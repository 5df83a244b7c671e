package io.rocketbufs.rbmq.bench;

import io.rocketbufs.rbmq.client.Message;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The prepared messages of one publisher, complete except for header and timestamp. A few different pseudo-random
 * payloads are used in turn, so that bytes from another message are detected as corruption. Because the messages are
 * prepared in advance, publishing a message requires only one copy. If there are many publisher numbers, some of them
 * share payloads; otherwise, the payloads would fill the processor's caches.
 *
 * <p><b>Thread-safety:</b> one thread.
 */
final class Payload {
    /**
     * Number of payloads used in turn. It is a prime, so that payloads do not repeat at a distance that is a power of
     * two.
     */
    private static final int PERIOD = 7;

    /** Number of different sets of payloads. The sets are assigned to publisher numbers in turn. */
    private static final int KINDS = 16;

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private final int length;
    private final int offset;
    private final byte[][] messages = new byte[PERIOD][];
    private final byte[] arrived;

    private Payload(int kind, int length) {
        this.length = length;
        this.offset = BenchMessageLayout.payloadOffset(length);
        this.arrived = new byte[length];
        long state = kind + 1;
        for (int i = 0; i < PERIOD; i++) {
            messages[i] = new byte[length];
            for (int j = offset; j < length; j++) {
                state = state * 6_364_136_223_846_793_005L + 1_442_695_040_888_963_407L;
                messages[i][j] = (byte) (state >>> 56);
            }
        }
    }

    /** The payloads of one thread. */
    static final class Cache {
        private final Payload[] payloads = new Payload[KINDS];

        /** Returns the payloads for a publisher's number. For each kind, only the most recent length is cached. */
        Payload get(int number, int length) {
            int kind = number % KINDS;
            if (payloads[kind] == null || payloads[kind].length != length) {
                payloads[kind] = new Payload(kind, length);
            }
            return payloads[kind];
        }
    }

    int messageLength() {
        return length;
    }

    /** Returns the entire message, which is valid until the next call. */
    byte[] message(int publisher, long sequence, long stamp) {
        byte[] message = of(sequence);
        LONG.set(message, BenchMessageLayout.HEADER_OFFSET, BenchMessageLayout.header(publisher, sequence));
        if (BenchMessageLayout.isStamped(length)) {
            LONG.set(message, BenchMessageLayout.STAMP_OFFSET, stamp);
        }
        return message;
    }

    boolean matches(Message message, long sequence) {
        message.get(0, arrived, 0, length);
        return Arrays.equals(arrived, offset, length, of(sequence), offset, length);
    }

    private byte[] of(long sequence) {
        return messages[(int) (sequence % PERIOD)];
    }
}
