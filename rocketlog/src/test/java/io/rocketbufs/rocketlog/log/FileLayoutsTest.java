package io.rocketbufs.rocketlog.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rocketlog.protocol.LogGreetingLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests with random changes to the files of a log and to the greeting of a client. */
final class FileLayoutsTest {
    private static final int SEAL_CRC = 4;

    @Test
    void shouldReadAnyBytesOrRejectThem() {
        checkInputs(20_000);
    }

    @Test
    @Tag("slow")
    @Timeout(3600)
    void shouldReadTenMillionInputsOrRejectThem() {
        checkInputs(10_000_000);
    }

    private static void checkInputs(int count) {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        byte[] seal = seal();
        byte[] greeting = LogGreetingLayout.write("a client");
        int accepted = 0;
        for (int i = 0; i < count; i++) {
            accepted += acceptsSeal(changed(seal, random), random.nextBoolean()) ? 1 : 0;
            byte[] greeted = changed(greeting, random);
            if (LogGreetingLayout.problem(greeted) == null
                    && LogGreetingLayout.name(greeted).length() > 1000) {
                throw new AssertionError("seed " + seed);
            }
            checkIndex(changed(seal, random), random.nextInt(1 << 20));
        }
        assertThat(accepted).as("seed %d", seed).isBetween(1, count - 1);
    }

    private static byte[] seal() {
        ProducerStates producers = new ProducerStates();
        for (int i = 0; i < 3; i++) {
            producers.add(Batches.of(i, 1, "v", 7 + i, 0, 0), 0);
        }
        ByteBuffer file = new Seal(0, 3, 300, 2, 11, 12, producers).toFile();
        return Arrays.copyOf(file.array(), file.limit());
    }

    private static byte[] changed(byte[] valid, Random random) {
        byte[] bytes = Arrays.copyOf(valid, random.nextInt(4) == 0 ? random.nextInt(valid.length + 8) : valid.length);
        for (int changes = random.nextInt(4); changes > 0 && bytes.length > 0; changes--) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
        }
        return bytes;
    }

    /** Returns true if a seal is accepted. Repairing the CRC lets changed fields reach the later checks. */
    private static boolean acceptsSeal(byte[] bytes, boolean repairsCrc) {
        ByteBuffer file = ByteBuffer.wrap(bytes);
        if (repairsCrc && bytes.length >= SEAL_CRC) {
            file.putInt(bytes.length - SEAL_CRC, Seal.crc(file, bytes.length - SEAL_CRC));
        }
        int version = Seal.version(file);
        return Seal.of(file) != null && version == Seal.VERSION;
    }

    /** Checks that lookups terminate regardless of the contents of the files. */
    private static void checkIndex(byte[] bytes, long offset) {
        SegmentIndex index = SegmentIndex.of(ByteBuffer.wrap(bytes), ByteBuffer.wrap(bytes), 100);
        index.positionOf(offset);
        index.positionOfTime(offset);
        index.largestTimestamp();
    }
}
