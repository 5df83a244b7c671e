package io.rocketbufs.rocketlog.protocol;

import static org.assertj.core.api.Assertions.assertThat;

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
}
