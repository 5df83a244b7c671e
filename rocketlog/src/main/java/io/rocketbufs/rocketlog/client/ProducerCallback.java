package io.rocketbufs.rocketlog.client;

/** The callback invoked with the results of a producer. It must not block. */
public interface ProducerCallback {
    /** Ignores all results. */
    ProducerCallback NONE = new ProducerCallback() {};

    /**
     * In place of an offset. Either the producer does not wait for the broker, or it has resent the record after a lost
     * connection: the record is in the log once, but the broker no longer knows where. The latter happens only if other
     * producers append to the partition, too.
     */
    long UNKNOWN_OFFSET = -1;

    /**
     * Called when consecutive records of a partition count as sent, in the order of their numbers. Their offsets are
     * consecutive, too.
     *
     * @param firstNumber number of the first one, as {@link LogProducer#send} has returned it
     * @param count number of records
     * @param firstOffset offset of the first one, or {@link #UNKNOWN_OFFSET}
     */
    default void onAcknowledged(int partition, long firstNumber, int count, long firstOffset) {}

    /**
     * Called once when the producer has failed. Records that have not been acknowledged may or may not be in the log.
     */
    default void onFailed(LogClientException cause) {}
}
