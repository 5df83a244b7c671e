package io.rocketbufs.rocketlog.record;

/**
 * The result of checking a batch: valid, or the first reason why it is invalid. The order of the constants is part of
 * the protocol between client and broker, so new constants must be added at the end.
 */
public enum BatchVerdict {
    VALID("valid", "nothing needs to be done"),
    TRUNCATED("the bytes end before the batch does", "send whole batches"),
    BAD_LENGTH(
            "the length field is smaller than a header or larger than the longest batch",
            "send shorter batches, or raise rocketlog.batch.longest at the broker"),
    BAD_MAGIC("the magic byte is not 2", "send record batches of version 2; no other version is supported"),
    BAD_CRC(
            "the CRC-32C does not match the bytes",
            "do not change a batch after its CRC was computed, and check the memory of the producer's machine"),
    BAD_ATTRIBUTES(
            "the attributes contain an unknown codec or an unknown flag",
            "set only the attributes of record batches of version 2"),
    BAD_COUNT(
            "the record count is not positive, or does not match the last offset delta",
            "send at least one record, and set the last offset delta to the record count minus 1"),
    BAD_TIMESTAMP(
            "the base timestamp is negative, or a record is later than the largest timestamp",
            "set the base timestamp and the largest timestamp to those of the records"),
    BAD_PRODUCER(
            "the producer id, producer epoch and base sequence are neither all set nor all -1",
            "set all of them or none"),
    BAD_RECORD(
            "a record is malformed, or its offset delta is out of order",
            "encode the records in the format of version 2, with offset deltas that start at 0 and have no gaps"),
    CONTROL_BATCH("clients must not append control batches", "clear the control flag"),
    COMPRESSED("compressed batches are not accepted here", "turn off the producer's compression"),
    FUTURE_TIMESTAMP(
            "the largest timestamp is too far ahead of the broker's clock",
            "correct the clocks, or raise rocketlog.produce.longest-lead at the broker"),
    ASSIGNED("the base offset or the leader epoch is not -1; only the broker sets them", "set both to -1"),
    OTHER_PRODUCER(
            "the producer id is not that of the producer that wrote the batch",
            "write batches with the id with which the producer requested access to the log");

    private final String reason;
    private final String remedy;

    BatchVerdict(String reason, String remedy) {
        this.reason = reason;
        this.remedy = remedy;
    }

    /** Returns a description of the reason. */
    public String reason() {
        return reason;
    }

    /** Returns what a producer, or the operator of the broker, can do so that the batch is accepted. */
    public String remedy() {
        return remedy;
    }
}
