package io.rocketbufs.rocketlog.record;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of the check of batches with batches that contain arbitrary changes. */
@Tag("once")
@Timeout(600)
final class BatchCheckTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int BEFORE = 70;
    private static final int MOST_AFTER = 20;

    private final BatchCheck check = new BatchCheck(1 << 20);
    private final byte[] valid = batch();

    private static byte[] batch() {
        ByteBuffer buffer = ByteBuffer.allocate(200);
        BatchBuilder builder = new BatchBuilder().begin(buffer).producer(1, (short) 0, 0);
        builder.add(5, UTF_8.encode("key"), UTF_8.encode("value"));
        builder.add(6, null, UTF_8.encode("other"));
        return Arrays.copyOf(buffer.array(), builder.finish());
    }

    /** Returns a batch with random changes. The CRC of some of these batches is correct. */
    private byte[] changed(Random random) {
        byte[] bytes = Arrays.copyOf(valid, random.nextInt(valid.length + MOST_AFTER));
        for (int change = random.nextInt(4); change > 0 && bytes.length > 0; change--) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
        }
        if (bytes.length >= RecordBatchLayout.HEADER_LENGTH && random.nextBoolean()) {
            ByteBuffer batch = ByteBuffer.wrap(bytes);
            long length = RecordBatchLayout.length(batch, 0);
            if (length >= RecordBatchLayout.HEADER_LENGTH && length <= bytes.length) {
                // A correct CRC lets the changed fields and records reach the later checks.
                RecordBatchLayout.setCrc(batch, 0, RecordBatchLayout.crcOf(batch, 0, (int) length, new CRC32C()));
            }
        }
        return bytes;
    }

    private static Random random() {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        return new Random(seed);
    }

    @Test
    void shouldRejectABatchWithAnyFlippedBitAfterTheAssignedFields() {
        for (int bit = 8 * 8; bit < valid.length * 8; bit++) {
            boolean isAssigned = bit / 8 >= 12 && bit / 8 < 16;
            byte[] flipped = valid.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            BatchVerdict verdict = check.check(ByteBuffer.wrap(flipped));
            assertThat(verdict == BatchVerdict.VALID).as("bit %d", bit).isEqualTo(isAssigned);
        }
    }

    @Test
    void shouldHaveAVerdictForEveryInput() {
        checkInputs(200_000);
    }

    @Test
    @Tag("slow")
    @Timeout(1800)
    void shouldHaveAVerdictForTenMillionInputs() {
        checkInputs(10_000_000);
    }

    /** Checks each input alone, and between other bytes, which must not have any influence. */
    private void checkInputs(int count) {
        Random random = random();
        byte[] others = new byte[BEFORE + valid.length + 2 * MOST_AFTER];
        random.nextBytes(others);
        ByteBuffer between = ByteBuffer.allocateDirect(others.length).put(others);
        for (int i = 0; i < count; i++) {
            byte[] bytes = changed(random);
            ByteBuffer alone = ByteBuffer.wrap(bytes);
            between.clear().put(BEFORE, bytes); // the rest of a longer input can follow
            between.limit(BEFORE + bytes.length).position(BEFORE);
            BatchVerdict verdict = check.check(alone);
            boolean isSame = verdict != null
                    && verdict == check.check(between)
                    && check.checkStored(alone) == check.checkStored(between)
                    && check.checkHeader(alone) == check.checkHeader(between);
            if (!isSame
                    || alone.position() != 0
                    || alone.limit() != bytes.length
                    || between.position() != BEFORE
                    || between.remaining() != bytes.length) {
                throw new AssertionError(
                        "input " + i + ": " + verdict + ", " + alone + ", " + between + ": " + Arrays.toString(bytes));
            }
        }
    }

    @Test
    void shouldAllocateNothingForABadBatch() {
        Random random = random();
        List<ByteBuffer> bad = new ArrayList<>();
        while (bad.size() < 2000) {
            byte[] bytes = changed(random);
            ByteBuffer batch = ByteBuffer.wrap(bytes);
            if (check.check(batch) != BatchVerdict.VALID) {
                bad.add(batch);
                bad.add(ByteBuffer.allocateDirect(bytes.length).put(bytes).flip());
            }
        }
        long least = Long.MAX_VALUE;
        int verdicts = 0;
        for (int round = 0; round < 15 && least > 0; round++) { // the first rounds load classes
            long allocated = THREADS.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < bad.size(); i++) {
                verdicts += check.check(bad.get(i)).ordinal();
            }
            least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - allocated);
        }
        assertThat(least).isZero();
        assertThat(verdicts).isPositive();
    }
}
