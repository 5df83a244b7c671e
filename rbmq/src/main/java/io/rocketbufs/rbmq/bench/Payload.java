package io.rocketbufs.rbmq.bench;

import io.rocketbufs.rbmq.client.Message;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The messages of one publisher, ready but for header and time stamp: a few with different pseudo-random payloads, used
 * in turn, so that a neighbour's or an older message's bytes are seen to be wrong, and publishing is one copy.
 *
 * <p><b>Thread-safety:</b> one thread.
 */
final class Payload {
    /** Prime, so that no power of two brings the same one again. */
    private static final int PERIOD = 7;

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private final int length;
    private final int offset;
    private final byte[][] messages = new byte[PERIOD][];
    private final byte[] arrived;

    Payload(int publisher, int length) {
        this.length = length;
        this.offset = BenchMessageLayout.payloadOffset(length);
        this.arrived = new byte[length];
        long state = publisher + 1;
        for (int i = 0; i < PERIOD; i++) {
            messages[i] = new byte[length];
            for (int j = offset; j < length; j++) {
                state = state * 6_364_136_223_846_793_005L + 1_442_695_040_888_963_407L;
                messages[i][j] = (byte) (state >>> 56);
            }
        }
    }

    int messageLength() {
        return length;
    }

    /** The whole message, until this is called again. */
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
