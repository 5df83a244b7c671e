package io.rocketbufs.rocketlog.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

final class OrderWordLayoutTest {
    @Test
    void shouldCountOrdersAndLengths() {
        long word = 0;
        long position = 0;
        for (int i = 0; i < 3 * OrderWordLayout.ORDERS; i++) {
            assertThat(OrderWordLayout.order(word)).isEqualTo(i % OrderWordLayout.ORDERS);
            assertThat(OrderWordLayout.position(word)).isEqualTo(position);
            int length = 1 + i % 1000;
            word += OrderWordLayout.reservation(length);
            position += length;
        }
    }

    @Test
    void shouldShowPositionsFarBeyondTheEnd() {
        long word = 0;
        for (int i = 0; i < 1000; i++) {
            word += OrderWordLayout.reservation(Integer.MAX_VALUE);
        }
        assertThat(OrderWordLayout.order(word)).isEqualTo(1000);
        assertThat(OrderWordLayout.position(word)).isEqualTo(1000L * Integer.MAX_VALUE);
    }

    @Test
    void shouldNeverShowANegativePosition() {
        assertThat(OrderWordLayout.position(-1)).isEqualTo((1L << 48) - 1);
        assertThat(OrderWordLayout.order(-1)).isEqualTo(OrderWordLayout.ORDERS - 1);
        assertThat(OrderWordLayout.position(Long.MIN_VALUE)).isZero();
    }

    @Test
    void shouldReadAnyWord() {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        for (int i = 0; i < 100_000; i++) {
            long word = random.nextLong() >> random.nextInt(Long.SIZE);
            int order = OrderWordLayout.order(word);
            long position = OrderWordLayout.position(word);
            boolean isInRange = order >= 0 && order < OrderWordLayout.ORDERS && position >= 0 && position < 1L << 48;
            if (!isInRange || order * OrderWordLayout.reservation(0) + position != word) {
                throw new AssertionError("seed " + seed + ": " + word);
            }
            int length = random.nextInt(Integer.MAX_VALUE);
            long next = word + OrderWordLayout.reservation(length);
            if (position + length < 1L << 48
                    && (OrderWordLayout.order(next) != (order + 1) % OrderWordLayout.ORDERS
                            || OrderWordLayout.position(next) != position + length)) {
                throw new AssertionError("seed " + seed + ": " + word + " + " + length);
            }
        }
    }
}
