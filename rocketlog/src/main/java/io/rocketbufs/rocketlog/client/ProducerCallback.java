package io.rocketbufs.rocketlog.client;

/** The callback invoked with the results of a producer. It must not block. */
public interface ProducerCallback {
    /** Ignores all results. */
    ProducerCallback NONE = new ProducerCallback() {};

    /**
     * Reported in place of an unknown offset. Either the producer does not wait for the broker, or it resent the record
     * after losing its connection: the record is in the log once, but the broker no longer knows its offset. The latter
     * happens only if other producers also append to the partition.
     */
    long UNKNOWN_OFFSET = -1;

    /**
     * Called when consecutive records of a partition count as sent, in the order of their numbers. Their offsets are
     * also consecutive.
     *
     * @param firstNumber number of the first record, as returned by {@link LogProducer#send}
     * @param count number of records
     * @param firstOffset offset of the first record, or {@link #UNKNOWN_OFFSET}
     */
    default void onAcknowledged(int partition, long firstNumber, int count, long firstOffset) {}

    /**
     * Called once when the producer has failed. Records that have not been acknowledged may or may not be in the log.
     */
    default void onFailed(LogClientException cause) {}
}
