package io.rocketbufs.rocketlog.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class SlotLayoutTest {
    private final ByteBuffer slots = ByteBuffer.allocateDirect(SlotLayout.LENGTH);

    private long word(int slot) {
        return slots.getLong(SlotLayout.place(slot));
    }

    @Test
    void shouldShowAPositionThatOnlyGrows() {
        SlotLayout.publish(slots, 3, 700, false);
        SlotLayout.publish(slots, 3, 600, false);
        assertThat(SlotLayout.position(word(3))).isEqualTo(700);
        assertThat(SlotLayout.isEnded(word(3))).isFalse();
        assertThat(word(2)).isZero();
        assertThat(word(4)).isZero();
    }

    @Test
    void shouldStayEnded() {
        SlotLayout.publish(slots, SlotLayout.COUNT - 1, 700, true);
        SlotLayout.publish(slots, SlotLayout.COUNT - 1, 700, false);
        assertThat(SlotLayout.position(word(SlotLayout.COUNT - 1))).isEqualTo(700);
        assertThat(SlotLayout.isEnded(word(SlotLayout.COUNT - 1))).isTrue();
    }

    @Test
    void shouldBeginAgainWhenCleared() {
        SlotLayout.publish(slots, 0, 700, true);
        SlotLayout.clear(slots, 0);
        assertThat(word(0)).isZero();
        SlotLayout.publish(slots, 0, 61, false);
        assertThat(SlotLayout.position(word(0))).isEqualTo(61);
    }

    @Test
    void shouldChangeAndReadOnlyOneSlotRegardlessOfTheValuesInAllOfThem() {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        long ended = 1L << 62;
        long[] expected = new long[SlotLayout.COUNT];
        for (int i = 0; i < 50_000; i++) {
            int slot = random.nextInt(SlotLayout.COUNT);
            long position = random.nextInt(Integer.MAX_VALUE);
            switch (random.nextInt(4)) {
                case 0 -> {
                    SlotLayout.clear(slots, slot);
                    expected[slot] = 0;
                }
                case 1 -> {
                    boolean isEnded = random.nextBoolean();
                    SlotLayout.publish(slots, slot, position, isEnded);
                    expected[slot] = Math.max(expected[slot], isEnded ? position | ended : position);
                }
                case 2 -> {
                    SlotLayout.end(slots, slot);
                    expected[slot] |= ended;
                }
                default -> { // a peer's memory can contain anything
                    expected[slot] = random.nextLong() >> random.nextInt(Long.SIZE);
                    slots.putLong(SlotLayout.place(slot), expected[slot]);
                }
            }
            long word = word(slot);
            boolean isRead = word == (SlotLayout.position(word) | (SlotLayout.isEnded(word) ? ended : 0))
                    && (SlotLayout.position(word) & ended) == 0;
            if (word != expected[slot] || !isRead) {
                throw new AssertionError("seed " + seed + ", input " + i + ", slot " + slot);
            }
        }
        for (int slot = 0; slot < SlotLayout.COUNT; slot++) {
            assertThat(word(slot)).as("seed %d, slot %d", seed, slot).isEqualTo(expected[slot]);
        }
    }
}
