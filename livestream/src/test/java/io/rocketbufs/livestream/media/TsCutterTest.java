package io.rocketbufs.livestream.media;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.livestream.bench.EmulatedChunk;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class TsCutterTest {
    private static final int PACKET = 188;
    private static final int LENGTH = PACKET * 60;

    @Test
    void shouldCutBeforeTheTablesForPiecesOfAnyLength() {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 0; i < 6; i++) {
            all.writeBytes(EmulatedChunk.make(1, i, LENGTH, 2000));
        }
        for (long seed = 0; seed < 200; seed++) {
            List<TsCutter.Cut> cuts = cut(2000, all.toByteArray(), seed);

            assertThat(cuts).as("seed %d", seed).hasSize(6);
            for (int i = 0; i < 6; i++) {
                assertThat(cuts.get(i).position()).as("seed %d", seed).isEqualTo((long) i * LENGTH);
                assertThat(cuts.get(i).tables()).isEmpty();
            }
            assertThat(cuts.get(0).ended()).isNull();
            assertThat(cuts.get(3).ended()).isEqualTo(new ChunkFacts(4_000_000, 2_000_000, true, "avc1"));
        }
    }

    @Test
    void shouldWaitUntilAChunkIsLongEnough() {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 0; i < 9; i++) {
            all.writeBytes(EmulatedChunk.make(1, i, LENGTH, 1000));
        }
        List<TsCutter.Cut> cuts = cut(3000, all.toByteArray(), 1);

        assertThat(cuts).hasSize(3);
        assertThat(cuts.get(1).ended().durationUs()).isEqualTo(3_000_000);
    }

    @Test
    void shouldMeasureAChunkWhenTheTimeStampsJumpAfterIt() {
        for (int gapS : new int[] {1, 31, 3600, -3600}) {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            int far = 4000 + gapS / 2 + 1;
            for (int number : new int[] {3998, 3999, far, far + 1}) {
                all.writeBytes(EmulatedChunk.make(1, number, LENGTH, 2000));
            }
            List<TsCutter.Cut> cuts = cut(2000, all.toByteArray(), 1);

            assertThat(cuts).as("gap %d s", gapS).hasSize(4);
            assertThat(cuts.get(2).ended().durationUs()).as("gap %d s", gapS).isEqualTo(2_000_000);
            assertThat(cuts.get(3).ended().startUs()).as("gap %d s", gapS).isEqualTo(far * 2_000_000L);
        }
    }

    @Test
    void shouldMeasureAChunkWhenTheTimeStampsJumpWithinIt() {
        byte[] first = EmulatedChunk.make(1, 0, LENGTH, 2000);
        byte[] far = EmulatedChunk.make(1, 1800, LENGTH, 2000);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        // The chunk consists of two halves, and the second half has no key frame.
        all.write(first, 0, 31 * PACKET);
        all.write(far, 31 * PACKET, 29 * PACKET);
        all.writeBytes(EmulatedChunk.make(1, 1801, LENGTH, 2000));

        List<TsCutter.Cut> cuts = cut(2000, all.toByteArray(), 1);

        assertThat(cuts).hasSize(2);
        assertThat(cuts.get(1).ended().durationUs()).isEqualTo(2_000_000);
    }

    /** Screen recorders add a frame only when the screen changes. */
    @Test
    void shouldNotTreatALongFrameAsAJump() {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int number : new int[] {0, 1, 2, 5, 7}) {
            all.writeBytes(EmulatedChunk.make(1, number, LENGTH, 40));
        }
        List<TsCutter.Cut> cuts = cut(40, all.toByteArray(), 1);

        assertThat(cuts)
                .extracting(cut -> cut.ended() == null ? 0 : cut.ended().durationUs() / 1000)
                .containsExactly(0L, 40L, 40L, 120L, 80L);
    }

    @Test
    void shouldInsertMissingTables() {
        byte[] first = EmulatedChunk.make(1, 0, LENGTH, 2000);
        byte[] second = EmulatedChunk.make(1, 1, LENGTH, 2000);
        byte[] bare = Arrays.copyOfRange(second, 2 * PACKET, second.length);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(first);
        all.writeBytes(bare);

        TsCutter.Cut cut = cut(2000, all.toByteArray(), 1).get(1);

        assertThat(cut.position()).isEqualTo(first.length);
        assertThat(cut.tables()).isEqualTo(Arrays.copyOf(first, 2 * PACKET));
    }

    @Test
    void shouldRejectDataThatIsNotATransportStream() {
        TsCutter cutter = new TsCutter(2000);
        assertThatThrownBy(() -> cutter.scan(ByteBuffer.allocate(400)))
                .isInstanceOf(MediaException.class)
                .hasMessageContaining("is not an MPEG transport stream");
    }

    @Test
    void shouldHandleArbitraryBytes() {
        for (long seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            byte[] bytes = EmulatedChunk.make(1, 0, LENGTH, 2000);
            for (int i = 0; i < 30; i++) {
                int at = random.nextInt(bytes.length);
                if (at % PACKET != 0) {
                    bytes[at] = (byte) random.nextInt();
                }
            }
            cut(2000, bytes, seed);
            TsScanner scanner = new TsScanner();
            scanner.scan(ByteBuffer.wrap(bytes));
            try {
                scanner.finish();
            } catch (MediaException e) {
                assertThat(e.getMessage()).startsWith("has n");
            }
        }
    }

    private static List<TsCutter.Cut> cut(long chunkMs, byte[] bytes, long seed) {
        Random random = new Random(seed);
        TsCutter cutter = new TsCutter(chunkMs);
        List<TsCutter.Cut> cuts = new ArrayList<>();
        int at = 0;
        while (at < bytes.length) {
            int length = Math.min(bytes.length - at, 1 + random.nextInt(1000));
            cuts.addAll(cutter.scan(ByteBuffer.wrap(bytes, at, length)));
            at += length;
        }
        return cuts;
    }
}
