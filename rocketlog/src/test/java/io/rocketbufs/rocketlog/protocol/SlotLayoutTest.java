package io.rocketbufs.rocketlog.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
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
}
