package io.rocketbufs.rocketlog.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
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
}
