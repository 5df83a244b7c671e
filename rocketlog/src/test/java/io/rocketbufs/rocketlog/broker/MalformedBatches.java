package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.rocketlog.record.BatchVerdict;
import io.rocketbufs.rocketlog.record.RecordBatchLayout;
import java.nio.ByteBuffer;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/** Malformed batches with the producer id 7, which no log accepts. */
final class MalformedBatches {
    private static final int CRC = 17;

    private MalformedBatches() {}

    /** Returns each verdict together with a batch that causes it. All batches have the sequence number 1. */
    static Stream<Object[]> all() {
        ByteBuffer badCrc = batch("a");
        long tomorrow = System.currentTimeMillis() + 86_400_000;
        return Stream.of(
                new Object[] {BatchVerdict.TRUNCATED, ByteBuffer.allocate(0)},
                new Object[] {BatchVerdict.TRUNCATED, batch("a").limit(60)},
                new Object[] {BatchVerdict.BAD_LENGTH, batch("a").putInt(8, Integer.MAX_VALUE)},
                new Object[] {BatchVerdict.BAD_LENGTH, batch("a").putInt(8, -1)},
                new Object[] {BatchVerdict.BAD_LENGTH, batch("a", "b").putInt(8, 60)},
                new Object[] {BatchVerdict.BAD_LENGTH, withCrc(batch("x".repeat(40_000)))},
                new Object[] {BatchVerdict.BAD_MAGIC, batch("a").put(16, (byte) 1)},
                new Object[] {BatchVerdict.BAD_CRC, badCrc.put(badCrc.limit() - 1, (byte) 99)},
                new Object[] {BatchVerdict.BAD_ATTRIBUTES, withCrc(batch("a").putShort(21, (short) 0x4000))},
                new Object[] {BatchVerdict.BAD_TIMESTAMP, withCrc(batch("a").putLong(27, -1))},
                new Object[] {BatchVerdict.BAD_PRODUCER, withCrc(batch("a").putInt(53, -5))},
                new Object[] {BatchVerdict.BAD_COUNT, withCrc(batch("a").putInt(57, 9))},
                new Object[] {BatchVerdict.BAD_RECORD, withCrc(batch("a").put(61, (byte) 126))},
                new Object[] {BatchVerdict.CONTROL_BATCH, withCrc(batch("a").putShort(21, (short) 0x20))},
                new Object[] {BatchVerdict.ASSIGNED, batch("a").putLong(0, 1)},
                new Object[] {BatchVerdict.COMPRESSED, withCrc(batch("a").putShort(21, (short) 1))},
                new Object[] {BatchVerdict.FUTURE_TIMESTAMP, RawProducer.batch(tomorrow, 7, 0, 1, "a")});
    }

    /** Sets the CRC field of a batch to the CRC of its bytes. */
    static ByteBuffer withCrc(ByteBuffer batch) {
        return batch.putInt(CRC, RecordBatchLayout.crcOf(batch, 0, batch.limit(), new CRC32C()));
    }

    private static ByteBuffer batch(String... values) {
        return RawProducer.batch(7, 0, 1, values);
    }
}
