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
            long expected = model.floorEntry(position).getValue();
            assertThat(marks.total(position)).as("seed %d", seed).isEqualTo(expected);
            assertThat(marks.sum())
                    .as("seed %d", seed)
                    .isEqualTo(model.lastEntry().getValue());
        }
    }
}
