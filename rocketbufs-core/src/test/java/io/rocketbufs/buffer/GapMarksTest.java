package io.rocketbufs.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class GapMarksTest {
    private final GapMarks marks = new GapMarks();

    @Test
    void shouldCountAGapFromItsPositionOn() {
        marks.add(10, 3);
        assertThat(marks.total(9)).isZero();
        assertThat(marks.total(10)).isEqualTo(3);
        assertThat(marks.next(9)).isEqualTo(10);
        assertThat(marks.next(10)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void shouldSumGapsAtTheSamePosition() {
        marks.add(10, 3);
        marks.add(10, 4);
        assertThat(marks.total(10)).isEqualTo(7);
        assertThat(marks.sum()).isEqualTo(7);
    }

    @Test
    void shouldStillCountGapsThatAllReadersHavePassed() {
        marks.add(10, 3);
        marks.add(20, 4);
        marks.forget(15);
        assertThat(marks.total(15)).isEqualTo(3);
        assertThat(marks.total(20)).isEqualTo(7);
        marks.forget(30);
        assertThat(marks.isEmpty()).isTrue();
        assertThat(marks.total(30)).isEqualTo(7);
    }

    @Test
    void shouldFindThePositionThatCountsLostBytes() {
        marks.add(10, 7);
        marks.add(30, 4);
        long[] counting = {9, 10, 16, 17, 18, 36, 37, 40, 41, 42};
        long[] expected = {9, 10, 10, 10, 11, 29, 30, 30, 30, 31};
        for (int i = 0; i < counting.length; i++) {
            assertThat(marks.positionOf(counting[i]))
                    .as("position %s", counting[i])
                    .isEqualTo(expected[i]);
        }
        marks.forget(20);
        assertThat(marks.positionOf(36)).isEqualTo(29);
        assertThat(marks.positionOf(41)).isEqualTo(30);
    }

    @Test
    void shouldAgreeWithASimpleModelForEveryReaderAtOrPastTheOldestGap() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        TreeMap<Long, Long> model = new TreeMap<>();
        model.put(0L, 0L);
        long end = 0;
        long released = 0;
        for (int i = 0; i < 2000; i++) {
            end += random.nextInt(3);
            if (random.nextInt(4) == 0) {
                long lost = 1 + random.nextInt(9);
                marks.add(end, lost);
                model.put(end, model.lastEntry().getValue() + lost);
            }
            if (random.nextInt(10) == 0) {
                released += random.nextInt((int) (end - released) + 1);
                marks.forget(released);
            }
            long position = released + random.nextInt((int) (end - released) + 1);
            assertThat(marks.positionOf(position + marks.total(position)))
                    .as("seed %s", seed)
                    .isEqualTo(position);
            long expected = model.floorEntry(position).getValue();
            assertThat(marks.total(position)).as("seed %d", seed).isEqualTo(expected);
            assertThat(marks.sum())
                    .as("seed %d", seed)
                    .isEqualTo(model.lastEntry().getValue());
        }
    }

    @Test
    void shouldNotOverflowWhenImpossibleGapsAreReported() {
        marks.add(10, Long.MAX_VALUE);
        marks.add(20, Long.MAX_VALUE);
        assertThat(marks.sum()).isPositive();
        assertThat(20 + marks.total(20))
                .isGreaterThanOrEqualTo(10 + marks.total(10))
                .isPositive();
        assertThat(marks.positionOf(20 + marks.total(20))).isEqualTo(20);
    }
}
