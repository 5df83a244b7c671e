package io.rocketbufs.rocketlog.protocol;

import io.rocketbufs.rocketlog.record.BatchVerdict;

/**
 * The broker's result for one batch, in the buffer that the broker sends to the producer. The <i>n</i>-th result for a
 * partition belongs to the <i>n</i>-th batch that the producer has sent to this partition.
 *
 * <pre>
 *  0                                    8                12      16
 *  +------------------------------------+-----------------+-------+
 *  | int64 offset of the first record,  | int32 partition | zero  |
 *  | or a negative constant             |                 |       |
 *  +------------------------------------+-----------------+-------+
 * </pre>
 *
 * <p>The result for a resent batch is the offset that the log assigned to the batch the first time, or REPEATED if the
 * broker no longer knows that offset.
 *
 * <p><i>Thread-safety:</i> stateless.
 */
public final class AppendResult {
    /** Length of a result in bytes. */
    public static final int LENGTH = 16;

    /** Offset of the partition's number in a result. */
    public static final int PARTITION = 8;

    /** Maximum number of batches that a producer may have in flight (sent but without a result) in one partition. */
    public static final int MOST_IN_FLIGHT = 1024;

    /** The same limit in a shared partition, where the order word counts the batches of all producers. */
    public static final int MOST_IN_FLIGHT_SHARED = 5;

    /**
     * The batch's sequence does not follow that of the producer's last batch in the log, for example because a batch in
     * between was refused.
     */
    public static final long OUT_OF_ORDER = -1;

    /** A producer with the same id and a later epoch has appended. */
    public static final long FENCED = -2;

    /**
     * The broker's disk is full, or the broker has no free file descriptor. The same batch can be appended when space
     * is available.
     */
    public static final long STORAGE_FULL = -3;

    /**
     * The partition's log has failed or is closed. The same batch can be appended after the broker has been restarted.
     */
    public static final long FAILED = -4;

    /** The topic has no such partition. */
    public static final long NO_SUCH_PARTITION = -5;

    /** The topic was deleted. */
    public static final long TOPIC_DELETED = -6;

    /**
     * The batch was written into the memory of the log, but the broker revoked the memory before it could append the
     * batch. The same batch can be sent through the producer's buffer. Its result then also shows whether the batch is
     * valid.
     */
    public static final long LEASE_ENDED = -7;

    /** The batch was resent. The log already contains it, but the broker no longer knows its offset. */
    public static final long REPEATED = -8;

    /** The batch is invalid. The result is this constant minus the ordinal of the {@link BatchVerdict}. */
    private static final long REJECTED = -100;

    private AppendResult() {}

    /** Returns the result for an invalid batch. */
    public static long rejected(BatchVerdict verdict) {
        return REJECTED - verdict.ordinal();
    }

    /** Returns true if the log contains the batch. */
    public static boolean isInLog(long result) {
        return result >= 0 || result == REPEATED;
    }

    /** Returns true if the same batch can be appended later. */
    public static boolean isTemporary(long result) {
        return result == STORAGE_FULL || result == FAILED || result == LEASE_ENDED;
    }

    /** Returns the reason for a negative result, and the remedy. */
    public static String reason(long result) {
        if (result <= REJECTED) {
            return rejection(result);
        }
        if (result == OUT_OF_ORDER) {
            return RefusedRequest.text(
                    "the sequence of a batch does not follow the producer's last batch in the log; records between them"
                            + " may be lost",
                    "open a new producer");
        }
        if (result == FENCED) {
            return RefusedRequest.text(
                    "another producer with the same id and a later epoch has taken over",
                    "give each producer its own id, and open a new producer");
        }
        if (result == STORAGE_FULL) {
            return RefusedRequest.text(
                    "the broker's disk is full, or the broker has no free file descriptor",
                    "free disk space, set a shorter retention, or raise the limit on open files; the broker's log shows"
                            + " the cause");
        }
        if (result == FAILED) {
            return RefusedRequest.text(
                    "the partition's log has failed or is damaged",
                    "rocketlog topics describe TOPIC shows the reason and the remedy; then restart the broker");
        }
        if (result == TOPIC_DELETED) {
            return RefusedRequest.text("the topic was deleted", "create it again, and open a new producer");
        }
        if (result == LEASE_ENDED) {
            return RefusedRequest.text(
                    "the broker revoked access to the log's memory before it could append a batch",
                    "the batch is sent again through the producer's buffer");
        }
        if (result == REPEATED) {
            return RefusedRequest.text("the log already has the batch", "nothing needs to be done");
        }
        return result == NO_SUCH_PARTITION
                ? RefusedRequest.text(
                        "the topic has no such partition", "rocketlog topics describe TOPIC shows the partitions")
                : unknown(result);
    }

    private static String rejection(long result) {
        long number = REJECTED - result;
        BatchVerdict[] verdicts = BatchVerdict.values();
        if (number >= verdicts.length) {
            return unknown(result);
        }
        BatchVerdict verdict = verdicts[(int) number];
        return RefusedRequest.text("the broker rejected a batch: " + verdict.reason(), verdict.remedy());
    }

    private static String unknown(long result) {
        return RefusedRequest.text(
                "the broker refused a batch for a reason that this version does not recognize: result=" + result,
                "use the same release on both sides");
    }
}
