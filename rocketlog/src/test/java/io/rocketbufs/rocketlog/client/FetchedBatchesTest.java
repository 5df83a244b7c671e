package io.rocketbufs.rocketlog.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rocketlog.record.BatchBuilder;
import io.rocketbufs.rocketlog.record.RecordBatchLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class FetchedBatchesTest {
    private static final int CRC = 17;
    private static final int ATTRIBUTES = 21;
    private static final int COUNT = 57;

    private final ByteBuffer memory = ByteBuffer.allocateDirect(4096);
    private final FetchedBatches batches = new FetchedBatches();

    /** Adds a batch with the records "0", "1" and so on to the memory. */
    private int add(long baseOffset, int count) {
        int start = memory.position();
        BatchBuilder builder = new BatchBuilder().begin(memory);
        for (int i = 0; i < count; i++) {
            builder.add(1000 + i, null, UTF_8.encode(Integer.toString(i)));
        }
        builder.finish();
        RecordBatchLayout.assign(memory, start, baseOffset, 0);
        return memory.position() - start;
    }

    private void use() {
        int length = memory.position();
        batches.use(memory.duplicate().clear());
        batches.begin(0, Long.MAX_VALUE);
        batches.added(length);
    }

    private void repairCrc(int batch) {
        int length = (int) RecordBatchLayout.length(memory, batch);
        memory.putInt(batch + CRC, RecordBatchLayout.crcOf(memory, batch, length, new CRC32C()));
    }

    private List<Long> offsetsFrom(long offset) {
        List<Long> offsets = new ArrayList<>();
        long next = offset;
        while (batches.next(next)) {
            offsets.add(batches.offset());
            next = batches.offset() + 1;
            batches.consumed();
        }
        return offsets;
    }

    @Test
    void shouldReadRecordsFromAnOffsetInsideABatch() {
        add(10, 3);
        add(13, 2);
        use();
        assertThat(offsetsFrom(11)).containsExactly(11L, 12L, 13L, 14L);
        assertThat(batches.problem()).isNull();
        assertThat(batches.position()).isEqualTo(memory.position());
    }

    @Test
    void shouldReturnTheSameRecordUntilItIsConsumed() {
        add(10, 2);
        use();
        for (int i = 0; i < 3; i++) {
            assertThat(batches.next(10)).isTrue();
            assertThat(batches.offset()).isEqualTo(10);
            assertThat(batches.timestamp()).isEqualTo(1000);
            assertThat(batches.key()).isNull();
            assertThat(UTF_8.decode(batches.value()).toString()).isEqualTo("0");
        }
        batches.consumed();
        assertThat(batches.next(11)).isTrue();
        assertThat(UTF_8.decode(batches.value()).toString()).isEqualTo("1");
    }

    @Test
    void shouldStopBeforeAnIncompleteBatchAndReturnTheNeededLength() {
        int first = add(0, 2);
        int second = add(2, 100);
        memory.position(first + 30);
        use();
        assertThat(offsetsFrom(0)).containsExactly(0L, 1L);
        assertThat(batches.hasMore()).isFalse();
        assertThat(batches.neededLength()).isEqualTo(RecordBatchLayout.HEADER_LENGTH);
        memory.position(first + second - 1);
        use();
        offsetsFrom(0);
        assertThat(batches.neededLength()).isEqualTo(second);
        assertThat(batches.position()).isEqualTo(first);
    }

    @Test
    void shouldKeepTheBytesOfAnIncompleteBatch() {
        int first = add(0, 2);
        int second = add(2, 5);
        byte[] missing = new byte[second - 30];
        memory.get(first + 30, missing);
        memory.position(first + 30);
        use();
        assertThat(offsetsFrom(0)).containsExactly(0L, 1L);
        assertThat(batches.keepRest()).isEqualTo(30);
        assertThat(batches.position()).isEqualTo(first);
        memory.put(30, missing);
        batches.added(missing.length);
        assertThat(offsetsFrom(2)).containsExactly(2L, 3L, 4L, 5L, 6L);
        assertThat(batches.position()).isEqualTo(first + second);
        assertThat(batches.keepRest()).isZero();
    }

    @Test
    void shouldSurviveAnyBytesWithACorrectCrc() {
        checkInputs(20_000);
    }

    @Test
    @Tag("slow")
    @Timeout(3600)
    void shouldSurviveTenMillionInputsWithACorrectCrc() {
        checkInputs(10_000_000);
    }

    private void checkInputs(int count) {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        int problems = 0;
        for (int i = 0; i < count; i++) {
            memory.clear();
            int length = add(0, 1 + random.nextInt(5));
            for (int changes = 1 + random.nextInt(4); changes > 0; changes--) {
                memory.put(ATTRIBUTES + random.nextInt(length - ATTRIBUTES), (byte) random.nextInt());
            }
            repairCrc(0);
            use();
            long next = 0;
            while (batches.next(next)) {
                assertThat(batches.value() == null ? 0 : batches.value().remaining())
                        .isLessThan(length);
                assertThat(batches.key() == null ? 0 : batches.key().remaining())
                        .isLessThan(length);
                next = batches.offset() + 1;
                batches.consumed();
            }
            problems += batches.problem() == null ? 0 : 1;
        }
        assertThat(problems).isBetween(count / 20, count);
    }

    @Test
    void shouldDeliverNothingOfABatchWithAnyChangedByte() {
        int first = add(0, 1);
        int second = add(1, 3);
        use();
        Random random = new Random(1);
        for (int i = 0; i < second; i++) {
            byte before = memory.get(first + i);
            memory.put(first + i, (byte) (before ^ 1 << random.nextInt(8)));
            batches.clear(0);
            batches.added(memory.position());
            List<Long> offsets = offsetsFrom(0);
            // The CRC does not cover the base offset and the leader epoch.
            boolean isUncheckedField = i < 8 || i >= 12 && i < 16;
            if (!isUncheckedField) {
                assertThat(offsets).as("byte " + i).containsExactly(0L);
            }
            memory.put(first + i, before);
        }
    }

    @Test
    void shouldReportABatchThatLeavesAGap() {
        add(0, 2);
        add(3, 1);
        use();
        assertThat(offsetsFrom(0)).containsExactly(0L, 1L);
        assertThat(batches.problem()).contains("begins with offset 3 instead of 2");
    }

    @Test
    void shouldReportMalformedRecordsAlthoughTheCrcIsCorrect() {
        add(0, 2);
        memory.put(RecordBatchLayout.HEADER_LENGTH, (byte) 2); // the first record's length
        repairCrc(0);
        use();
        assertThat(offsetsFrom(0)).isEmpty();
        assertThat(batches.problem()).isEqualTo("record 0 of the batch is malformed");
    }

    @Test
    void shouldReportMoreRecordsThanTheBatchContains() {
        add(0, 2);
        memory.putInt(COUNT, 3).putInt(23, 2); // the count and the last offset delta
        repairCrc(0);
        use();
        assertThat(offsetsFrom(0)).containsExactly(0L, 1L);
        assertThat(batches.problem()).isEqualTo("record 2 of the batch is malformed");
    }

    @Test
    void shouldSkipControlBatchesAndRefuseCompressedOnes() {
        int first = add(0, 1);
        memory.putShort(ATTRIBUTES, (short) RecordBatchLayout.CONTROL);
        repairCrc(0);
        add(1, 1);
        int third = memory.position();
        add(2, 1);
        memory.putShort(third + ATTRIBUTES, (short) 1);
        repairCrc(third);
        use();
        assertThat(offsetsFrom(0)).containsExactly(1L);
        assertThat(batches.problem()).contains("compressed");
        assertThat(first).isPositive();
    }
}
