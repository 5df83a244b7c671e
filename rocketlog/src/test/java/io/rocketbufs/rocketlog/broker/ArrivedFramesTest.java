package io.rocketbufs.rocketlog.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.ROut;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Segment;
import io.rocketbufs.rocketlog.RunningLogBroker;
import io.rocketbufs.rocketlog.protocol.BatchFrameLayout;
import io.rocketbufs.rocketlog.record.BatchCheck;
import io.rocketbufs.rocketlog.record.BatchVerdict;
import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of frames with arbitrary bytes in a producer's buffer, in one part or in two. */
@Timeout(600)
final class ArrivedFramesTest {
    private static final int CAPACITY = 4096;
    private static final int BUFFER = 1;

    private final List<ByteBuffer> batches = IntStream.range(0, 20)
            .mapToObj(i -> RawProducer.batch(1, 7, 0, i, "v".repeat(5 * i)))
            .toList();

    @TempDir
    Path folder;

    @Test
    void shouldFindEachFrameInsideTheArrivedBytesOrRejectIt() {
        checkInputs(40_000);
    }

    @Test
    @Tag("slow")
    @Timeout(1800)
    void shouldFindMillionsOfFramesOrRejectThem() {
        checkInputs(5_000_000);
    }

    private void checkInputs(int count) {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        int[] ends = new int[3];
        try (RocketBufs rocketBufs = RocketBufs.open(RunningLogBroker.config(folder));
                ROut out = new ROut(rocketBufs)) {
            out.createBuffer(BUFFER, CAPACITY); // has no subscriber, so its space is free after each delivery
            BatchCopy copy = new BatchCopy();
            BatchCheck check = new BatchCheck(CAPACITY);
            for (int i = 0; i < count; i++) {
                byte[] bytes = frames(random);
                Segment arrived = out.getOutputSegment(BUFFER, bytes.length, false);
                arrived.put(0, bytes, 0, bytes.length);
                ends[take(arrived, bytes, copy, check)]++;
                out.deliver(arrived, arrived.length());
            }
        }
        for (int end : ends) {
            assertThat(end).as("seed %d: %s", seed, Arrays.toString(ends)).isGreaterThan(count / 100);
        }
    }

    /** Returns up to three frames, most of them with valid batches, and with random changes. */
    private byte[] frames(Random random) {
        ByteBuffer frames = ByteBuffer.allocate(CAPACITY);
        for (int i = random.nextInt(3); i >= 0; i--) {
            ByteBuffer batch = batches.get(random.nextInt(batches.size()));
            frames.putInt(random.nextInt(4)).putInt(batch.remaining()).put(batch.duplicate());
        }
        byte[] bytes = Arrays.copyOf(
                frames.array(), random.nextInt(8) == 0 ? 1 + random.nextInt(frames.position()) : frames.position());
        for (int changes = random.nextInt(3); changes > 0; changes--) {
            bytes[random.nextInt(Math.min(bytes.length, 1 << 3 + random.nextInt(6)))] = (byte) random.nextInt();
        }
        return bytes;
    }

    /**
     * Takes the frames as the broker does. Returns 0 if all batches are valid, 1 if a batch is invalid, and 2 if a
     * frame has been rejected.
     */
    private static int take(Segment arrived, byte[] bytes, BatchCopy copy, BatchCheck check) {
        int end = 0;
        long index = 0;
        while (index < arrived.length()) {
            int length;
            try {
                length = ProducerInput.batchLength(arrived, index, "orders");
            } catch (TransportException e) {
                assertThat(e.code()).isEqualTo(TransportException.Code.PROTOCOL);
                return 2;
            }
            int batch = (int) index + BatchFrameLayout.BATCH;
            ByteBuffer copied = copy.of(arrived, batch, length);
            if (!copied.equals(ByteBuffer.wrap(bytes, batch, length))) {
                throw new AssertionError("the frame at " + index + " of " + Arrays.toString(bytes));
            }
            end = check.check(copied) == BatchVerdict.VALID ? end : 1;
            index += BatchFrameLayout.BATCH + length;
        }
        return end;
    }
}
