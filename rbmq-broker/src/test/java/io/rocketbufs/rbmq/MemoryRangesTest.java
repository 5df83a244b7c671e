package io.rocketbufs.rbmq;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class MemoryRangesTest {
    private final MemoryRanges ranges = new MemoryRanges();

    @Test
    void shouldKeepARangeThatAShorterRangeOverlaps() {
        ranges.add(0, 1000);
        ranges.add(200, 400);

        assertThat(ranges.contains(400, 1000)).isTrue();
    }

    @Test
    void shouldContainARangeAddedInPieces() {
        ranges.add(0, 100);
        ranges.add(200, 300);
        assertThat(ranges.contains(50, 250)).isFalse();
        ranges.add(100, 200);

        assertThat(ranges.contains(50, 250)).isTrue();
    }

    @Test
    void shouldContainOnlyTheAddedRanges() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        BitSet model = new BitSet();
        for (int i = 0; i < 100; i++) {
            int begin = random.nextInt(1000);
            int end = begin + 1 + random.nextInt(30);
            ranges.add(begin, end);
            model.set(begin, end);
            int from = random.nextInt(1000);
            int to = from + 1 + random.nextInt(60);
            assertThat(ranges.contains(from, to))
                    .as("%d to %d, seed %d", from, to, seed)
                    .isEqualTo(model.nextClearBit(from) >= to);
        }
    }
}
