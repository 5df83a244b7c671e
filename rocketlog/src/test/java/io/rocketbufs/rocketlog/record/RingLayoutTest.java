package io.rocketbufs.rocketlog.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class RingLayoutTest {
    private final ByteBuffer words = ByteBuffer.allocateDirect(RingLayout.WORDS_LENGTH);

    @Test
    void shouldForgetTheEndOfEarlierBatchesBeforeASegmentHasItsNewBaseOffset() {
        RingLayout.begin(words, 3, 500);
        RingLayout.publish(words, 3, 4000);
        RingLayout.beginReuse(words, 3);
        assertThat(RingLayout.baseOffset(words, 3)).isEqualTo(RingLayout.NONE);
        assertThat(RingLayout.end(words, 3)).isZero();
        RingLayout.begin(words, 3, 900);
        assertThat(RingLayout.baseOffset(words, 3)).isEqualTo(900);
        assertThat(RingLayout.end(words, 3)).isZero();
    }

    @Test
    void shouldChangeAndReadOnlyTheWordsOfOneSegmentRegardlessOfTheirValues() {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        long[] expected = new long[2 * RingLayout.SEGMENTS];
        for (int i = 0; i < 50_000; i++) {
            int segment = random.nextInt(RingLayout.SEGMENTS);
            long value = random.nextLong() >> random.nextInt(Long.SIZE);
            switch (random.nextInt(4)) {
                case 0 -> {
                    RingLayout.beginReuse(words, segment);
                    expected[2 * segment] = RingLayout.NONE;
                    expected[2 * segment + 1] = 0;
                }
                case 1 -> {
                    RingLayout.begin(words, segment, value);
                    expected[2 * segment] = value;
                }
                case 2 -> {
                    RingLayout.publish(words, segment, value);
                    expected[2 * segment + 1] = value;
                }
                default -> { // a peer's memory can contain anything
                    int word = random.nextInt(expected.length);
                    words.putLong(word * Long.BYTES, value);
                    expected[word] = value;
                }
            }
            for (int j = 0; j < RingLayout.SEGMENTS; j++) {
                if (RingLayout.baseOffset(words, j) != expected[2 * j]
                        || RingLayout.end(words, j) != expected[2 * j + 1]) {
                    throw new AssertionError("seed " + seed + ", segment " + j);
                }
            }
        }
    }
}
