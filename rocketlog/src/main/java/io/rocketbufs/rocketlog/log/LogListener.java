package io.rocketbufs.rocketlog.log;

/**
 * The events of the logs in a {@link LogDirectory}. All are reported on its maintenance thread, or on the thread that
 * closes the directory; they must not block, and must not close the directory.
 */
@FunctionalInterface
public interface LogListener {
    /**
     * Called when appended records have become durable. If this throws, the log accepts nothing further.
     *
     * @param durableOffset all records before this offset survive a crash of the machine
     */
    void onDurable(PartitionLog log, long durableOffset);

    /**
     * Called once when a log has failed: it accepts nothing further, and records that have not been reported as durable
     * never will be.
     *
     * @param cause the exception of {@link PartitionLog#failure()}; its message names the file, the reason and the
     *     remedy
     */
    default void onFailed(PartitionLog log, LogException cause) {}

    /**
     * Called when retention has deleted segments. Their records remain readable in existing {@linkplain SegmentView
     * views}.
     */
    default void onDeleted(PartitionLog log) {}

    /**
     * Called when another program has truncated files of a log, which has failed. Existing views of these segments
     * ({@link SegmentView#isTruncated}) must not be read any further.
     */
    default void onTruncated(PartitionLog log) {}
}
