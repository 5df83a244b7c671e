package io.rocketbufs.rocketlog.client;

/** A callback invoked with the results of a producer. It must not block. */
public interface ProducerCallback {
    /** A callback that ignores all results. */
    ProducerCallback NONE = new ProducerCallback() {};

    /**
     * Reported in place of an unknown offset. An offset is unknown if the producer does not wait for the broker. It is
     * also unknown if the producer resent the record after losing its connection, and the broker can no longer
     * determine the record's offset. The log nevertheless contains the record exactly once. The second case occurs only
     * if other producers also append to the partition.
     */
    long UNKNOWN_OFFSET = -1;

    /**
     * Called when consecutive records of a partition count as sent. The calls are in the order of the records' numbers,
     * and the offsets of the records are also consecutive.
     *
     * @param firstNumber number of the first record, as returned by {@link LogProducer#send}
     * @param count number of records
     * @param firstOffset offset of the first record, or {@link #UNKNOWN_OFFSET}
     */
    default void onAcknowledged(int partition, long firstNumber, int count, long firstOffset) {}

    /** Called once when the producer has failed. Unacknowledged records may or may not be in the log. */
    default void onFailed(LogClientException cause) {}
}
