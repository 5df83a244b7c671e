package io.rocketbufs.rocketlog.log;

/**
 * A listener for the events of the logs in a {@link LogDirectory}. All methods are called on the directory's
 * maintenance thread, or on the thread that closes the directory. They must not block, and must not close the
 * directory.
 */
@FunctionalInterface
public interface LogListener {
    /**
     * Called when appended records have become durable. If this method throws, the log accepts no further records.
     *
     * @param durableOffset all records before this offset survive a crash of the machine
     */
    void onDurable(PartitionLog log, long durableOffset);

    /**
     * Called once when a log has failed. The log then accepts no further records, and no further records become
     * durable.
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
     * Called when another program has truncated files of a log. The log has then failed, and existing views of the
     * truncated segments ({@link SegmentView#isTruncated}) must no longer be read.
     */
    default void onTruncated(PartitionLog log) {}
}
