package io.rocketbufs.rocketlog.record;

/**
 * The result of checking a batch: valid, or the first reason why it is invalid. The order of the constants is part of
 * the protocol between client and broker, so new constants must be added at the end.
 */
public enum BatchVerdict {
    VALID("valid"),
    TRUNCATED("the bytes end before the batch does"),
    BAD_LENGTH("the length field is smaller than a header or larger than the longest batch"),
    BAD_MAGIC("the magic byte is not 2; only record batches of version 2 are supported"),
    BAD_CRC("the CRC-32C does not match the bytes"),
    BAD_ATTRIBUTES("the attributes contain an unknown codec or an unknown flag"),
    BAD_COUNT("the record count is not positive, or does not match the last offset delta"),
    BAD_TIMESTAMP("the base timestamp is negative, or a record is later than the largest timestamp"),
    BAD_PRODUCER("the producer id, producer epoch and base sequence are neither all set nor all -1"),
    BAD_RECORD("a record is malformed, or its offset delta is out of order"),
    CONTROL_BATCH("clients must not append control batches"),
    COMPRESSED("compressed batches are not accepted here"),
    FUTURE_TIMESTAMP("the largest timestamp is too far ahead of the broker's clock; correct the clocks"),
    ASSIGNED("the base offset or the leader epoch is not -1; only the broker sets them"),
    OTHER_PRODUCER("the producer id is not that of the producer that wrote the batch");

    private final String reason;

    BatchVerdict(String reason) {
        this.reason = reason;
    }

    /** Returns a description of the reason. */
    public String reason() {
        return reason;
    }
}
