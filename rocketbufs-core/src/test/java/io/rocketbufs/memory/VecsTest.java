package io.rocketbufs.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class VecsTest {
    private static final long BASE = 1L << 32;

    private final ByteBuffer window = ByteBuffer.allocate(0);
    private final ByteBuffer otherWindow = ByteBuffer.allocate(0);

    @Test
    void shouldStoreRanges() {
        Vecs vecs = new Vecs(2);
        assertThat(vecs.add(window, 5, 7, BASE + 5)).isTrue();
        assertThat(vecs.add(otherWindow, 1, 2, BASE + 100)).isTrue();
        assertThat(vecs.count()).isEqualTo(2);
        assertThat(vecs.maxCount()).isEqualTo(2);
        assertThat(vecs.totalLength()).isEqualTo(9);
        assertThat(vecs.window(1)).isSameAs(otherWindow);
        assertThat(vecs.offset(1)).isEqualTo(1);
        assertThat(vecs.length(1)).isEqualTo(2);
        assertThat(vecs.address(1)).isEqualTo(BASE + 100);
    }

    @Test
    void shouldMergeARangeThatContinuesTheLastOne() {
        Vecs vecs = new Vecs(1);
        vecs.add(window, 5, 7, BASE + 5);
        assertThat(vecs.add(window, 12, 3, BASE + 12)).isTrue();
        assertThat(vecs.count()).isEqualTo(1);
        assertThat(vecs.offset(0)).isEqualTo(5);
        assertThat(vecs.length(0)).isEqualTo(10);
        assertThat(vecs.address(0)).isEqualTo(BASE + 5);
    }

    @Test
    void shouldNotMergeAcrossWindowsOrGapsOrBackwards() {
        Vecs vecs = new Vecs(8);
        vecs.add(window, 5, 7, BASE + 5);
        vecs.add(otherWindow, 12, 3, BASE + 12);
        vecs.add(otherWindow, 16, 3, BASE + 16);
        vecs.add(otherWindow, 13, 3, BASE + 13);
        vecs.add(otherWindow, 16, 3, BASE + 17);
        assertThat(vecs.count()).isEqualTo(5);
    }

    @Test
    void shouldNotMergeBeyondTheLongestRange() {
        Vecs vecs = new Vecs(2);
        vecs.add(window, 0, Integer.MAX_VALUE, BASE);
        assertThat(vecs.add(window, Integer.MAX_VALUE, 1, BASE + Integer.MAX_VALUE))
                .isTrue();
        assertThat(vecs.count()).isEqualTo(2);
        assertThat(vecs.totalLength()).isEqualTo(1L << 31);
    }

    @Test
    void shouldAppendNothingForLengthZeroEvenWhenFull() {
        Vecs vecs = new Vecs(1);
        vecs.add(window, 0, 1, BASE);
        assertThat(vecs.add(otherWindow, 9, 0, BASE + 9)).isTrue();
        assertThat(vecs.count()).isEqualTo(1);
    }

    @Test
    void shouldStayUnchangedWhenFull() {
        Vecs vecs = new Vecs(1);
        vecs.add(window, 0, 1, BASE);
        assertThat(vecs.add(window, 2, 1, BASE + 2)).isFalse();
        assertThat(vecs.count()).isEqualTo(1);
        assertThat(vecs.totalLength()).isEqualTo(1);
        assertThat(vecs.add(window, 1, 1, BASE + 1)).isTrue();
    }

    @Test
    void shouldListTheSameBytesInOrderForRandomRanges() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int round = 0; round < 1_000; round++) {
            Vecs vecs = new Vecs(1 + random.nextInt(6));
            List<Long> model = new ArrayList<>();
            vecs.clear();
            int offset = 0;
            for (int step = 0; step < 20; step++) {
                offset = random.nextBoolean() ? offset : random.nextInt(50);
                int length = random.nextInt(4);
                int before = vecs.count();
                if (vecs.add(window, offset, length, BASE + offset)) {
                    for (int i = 0; i < length; i++) {
                        model.add(BASE + offset + i);
                    }
                    offset += length;
                } else {
                    assertThat(before).as("seed=%d", seed).isEqualTo(vecs.maxCount());
                }
            }
            assertThat(bytes(vecs)).as("seed=%d", seed).isEqualTo(model);
            assertThat(vecs.totalLength()).isEqualTo(model.size());
        }
    }

    private static List<Long> bytes(Vecs vecs) {
        List<Long> bytes = new ArrayList<>();
        for (int i = 0; i < vecs.count(); i++) {
            for (int at = 0; at < vecs.length(i); at++) {
                assertThat(vecs.address(i)).isEqualTo(BASE + vecs.offset(i));
                bytes.add(vecs.address(i) + at);
            }
        }
        return bytes;
    }
}
