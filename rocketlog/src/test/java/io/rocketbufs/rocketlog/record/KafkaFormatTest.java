package io.rocketbufs.rocketlog.record;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.record.Record;
import org.apache.kafka.common.record.RecordBatch;
import org.apache.kafka.common.record.SimpleRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests that Kafka's own classes can read the builder's batches, and that the check accepts batches that Kafka's
 * classes have written.
 */
@Tag("once")
final class KafkaFormatTest {
    private final BatchCheck check = new BatchCheck(1 << 20);

    @Test
    void shouldWriteBatchesThatKafkaReads() {
        ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
        BatchBuilder builder = new BatchBuilder().begin(buffer).producer(42, (short) 3, 17);
        List<SimpleRecord> expected = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            byte[] key = i % 3 == 0 ? null : Integer.toString(i).getBytes(UTF_8);
            byte[] value = i % 7 == 0 ? null : "v".repeat(i).getBytes(UTF_8);
            long timestamp = 1_700_000_000_000L + (i * 7919L) % 1000 - 500;
            if (!builder.add(timestamp, wrap(key), wrap(value))) {
                break;
            }
            expected.add(new SimpleRecord(timestamp, key, value));
        }
        builder.finish();
        RecordBatchLayout.assign(buffer, 0, 1000, 5);
        List<Record> read = new ArrayList<>();
        for (RecordBatch batch : MemoryRecords.readableRecords(buffer.flip()).batches()) {
            batch.ensureValid();
            assertThat(batch.producerId()).isEqualTo(42);
            assertThat(batch.producerEpoch()).isEqualTo((short) 3);
            assertThat(batch.baseSequence()).isEqualTo(17);
            assertThat(batch.partitionLeaderEpoch()).isEqualTo(5);
            assertThat(batch.maxTimestamp())
                    .isEqualTo(expected.stream()
                            .mapToLong(SimpleRecord::timestamp)
                            .max()
                            .orElseThrow());
            batch.forEach(read::add);
        }
        assertThat(read.stream().map(SimpleRecord::new).toList()).isEqualTo(expected);
        assertThat(read.get(0).offset()).isEqualTo(1000);
        assertThat(read.get(read.size() - 1).offset()).isEqualTo(1000 + expected.size() - 1);
    }

    @Test
    void shouldAcceptTheBatchesOfKafkasProducers() {
        SimpleRecord[] records = new SimpleRecord[50];
        for (int i = 0; i < records.length; i++) {
            records[i] = new SimpleRecord(1000 + i, null, ("value " + i).getBytes(UTF_8), new RecordHeader[] {
                new RecordHeader("name", null), new RecordHeader("", "x".getBytes(UTF_8))
            });
        }
        for (Compression compression :
                List.of(Compression.NONE, Compression.gzip().build())) {
            ByteBuffer batch = MemoryRecords.withIdempotentRecords(compression, 9, (short) 0, 5, records)
                    .buffer();
            assertThat(check.check(batch)).as("%s", compression.type()).isEqualTo(BatchVerdict.VALID);
            assertThat(RecordBatchLayout.count(batch, 0)).isEqualTo(50);
            assertThat(RecordBatchLayout.producerId(batch, 0)).isEqualTo(9);
        }
    }

    @Test
    void shouldLeaveABatchUnchangedWhenARecordDoesNotFit() {
        ByteBuffer buffer = ByteBuffer.allocate(100);
        BatchBuilder builder = new BatchBuilder().begin(buffer);
        assertThat(builder.add(1, null, UTF_8.encode("fits"))).isTrue();
        assertThat(builder.add(1, null, ByteBuffer.allocate(40))).isFalse();
        builder.finish();
        assertThat(check.check(buffer.flip())).isEqualTo(BatchVerdict.VALID);
        assertThat(RecordBatchLayout.count(buffer, 0)).isEqualTo(1);
    }

    private static ByteBuffer wrap(byte[] bytes) {
        return bytes == null ? null : ByteBuffer.wrap(bytes);
    }
}
