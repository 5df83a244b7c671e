package io.rocketbufs.rocketlog.protocol;

/**
 * One delivery in a producer's buffer: a record batch and the number of its partition.
 *
 * <pre>
 *  0                 4                8
 *  +-----------------+----------------+-------------+
 *  | int32 partition | int32 length   | the batch   |
 *  |                 | of the batch   |             |
 *  +-----------------+----------------+-------------+
 * </pre>
 *
 * <p>Batches have no numbers: both sides count the batches of each partition.
 *
 * <p><i>Thread-safety:</i> stateless.
 */
public final class BatchFrameLayout {
    /** Place of the partition's number. */
    public static final int PARTITION = 0;

    /** Place of the batch's length. */
    public static final int LENGTH = 4;

    /** Place of the batch, and length of the header before it. */
    public static final int BATCH = 8;

    private BatchFrameLayout() {}
}
