package io.rocketbufs.rocketlog.protocol;

import io.rocketbufs.Segment;
import io.rocketbufs.rocketnet.TransportException;

/**
 * A frame in a producer's buffer: a record batch, preceded by the number of its partition.
 *
 * <pre>
 *  0                 4                8
 *  +-----------------+----------------+-------------+
 *  | int32 partition | int32 length   | the batch   |
 *  |                 | of the batch   |             |
 *  +-----------------+----------------+-------------+
 * </pre>
 *
 * <p>The frames are not numbered, because both sides count the batches of each partition.
 *
 * <p><i>Thread-safety:</i> stateless.
 */
public final class BatchFrameLayout {
    /** Offset of the partition's number in a frame. */
    public static final int PARTITION = 0;

    /** Offset of the batch's length in a frame. */
    public static final int LENGTH = 4;

    /** Offset of the batch in a frame, which is also the length of the frame's header. */
    public static final int BATCH = 8;

    private BatchFrameLayout() {}

    /**
     * Returns the length of the batch in the frame that begins at an index.
     *
     * @param arrived one or more deliveries. Deliveries arrive as a whole, so an incomplete frame violates the
     *     protocol.
     * @param topic name of the topic, for the error
     * @throws TransportException if the frame is incomplete
     */
    public static int batchLength(Segment arrived, long index, String topic) {
        long rest = arrived.length() - index - BATCH;
        int batchLength = rest < 0 ? -1 : arrived.getInt(index + LENGTH);
        if (batchLength < 0 || batchLength > rest) {
            throw new TransportException(
                    TransportException.Code.PROTOCOL,
                    "topic " + topic + ": malformed frame in the producer's buffer: batch length=" + batchLength + ", but "
                            + Math.max(0, rest) + " bytes after the frame's header");
        }
        return batchLength;
    }
}
