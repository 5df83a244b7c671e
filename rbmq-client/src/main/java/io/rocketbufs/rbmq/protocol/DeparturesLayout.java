package io.rocketbufs.rbmq.protocol;

import java.nio.ByteBuffer;

/**
 * Body of DEPARTURES: the subscription, and the number of buffers that have left the topics matching its filter since
 * the broker was started. The number never decreases. It may include buffers of other topics, because the broker
 * remembers only a limited number of topics.
 *
 * <pre>
 *  0              4            12
 *  +--------------+------------+
 *  | subscription | departures |
 *  +--------------+------------+
 * </pre>
 */
public final class DeparturesLayout {
    static final int LENGTH = 12;
    private static final int COUNT = 4;

    private DeparturesLayout() {}

    /** Writes an entire message. */
    public static ByteBuffer write(int subscription, long count) {
        return RbmqLayout.begin(RbmqType.DEPARTURES, LENGTH)
                .putInt(subscription)
                .putLong(count)
                .flip();
    }

    /** Returns the subscriber's number for the subscription. */
    public static int subscription(ByteBuffer body) {
        return body.getInt(body.position());
    }

    /** Returns the number of departures. */
    public static long count(ByteBuffer body) {
        return body.getLong(body.position() + COUNT);
    }
}
