package io.rocketbufs.rocketlog.protocol;

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
}
