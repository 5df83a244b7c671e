package io.rocketbufs.rbmq.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class BufferTableTest {
    private final BufferTable<String> table = new BufferTable<>();

    @Test
    void shouldFindNothingWhenItIsEmpty() {
        assertThat(table.get(0)).isNull();
        assertThat(table.remove(0)).isNull();
    }

    @Test
    void shouldKeepTheLastValueOfAnId() {
        table.put(7, "first");
        table.put(7, "second");
        assertThat(table.get(7)).isEqualTo("second");
        assertThat(table.remove(7)).isEqualTo("second");
        assertThat(table.get(7)).isNull();
    }

    @Test
    void shouldAgreeWithAMapUnderRandomChanges() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        Map<Integer, String> model = new HashMap<>();
        int[] ids = random.ints(300).toArray();
        ids[0] = 0;
        ids[1] = Integer.MIN_VALUE;
        for (int i = 0; i < 100_000; i++) {
            // Most rounds use few ids, so that entries are often displaced and moved back; the other rounds use many.
            int id = ids[random.nextInt(i % 10_000 < 9_000 ? 12 : ids.length)];
            if (random.nextBoolean()) {
                table.put(id, "value " + i);
                model.put(id, "value " + i);
            } else {
                assertThat(table.remove(id))
                        .as("seed=%d i=%d id=%d", seed, i, id)
                        .isEqualTo(model.remove(id));
            }
            assertThat(table.get(id)).as("seed=%d i=%d id=%d", seed, i, id).isEqualTo(model.get(id));
        }
        for (int id : ids) {
            assertThat(table.get(id)).as("seed=%d id=%d", seed, id).isEqualTo(model.get(id));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 0x80000000, -1, 0x12345678})
    void shouldSpreadIdsThatShareAHomeSlotWithAnotherSeed(int seed) {
        int length = 4096;
        int[] ids = IntStream.iterate(0, id -> id + 1)
                .filter(id -> BufferTable.home(id, 0, length) == 7)
                .limit(length / 4)
                .toArray();
        long homes = IntStream.of(ids)
                .map(id -> BufferTable.home(id, seed, length))
                .distinct()
                .count();

        assertThat(homes).isGreaterThan(ids.length / 2);
    }

    @Test
    void shouldSpreadMultiplesOfTheInverseOfItsFactor() {
        int length = 4096;
        int inverse = inverse(0x9E3779B9);
        long homes = IntStream.range(0, length / 4)
                .map(i -> BufferTable.home(i * inverse, 1, length))
                .distinct()
                .count();

        assertThat(homes).isGreaterThan(length / 8);
    }

    @Test
    void shouldUseADifferentSeedForEachTable() {
        long seeds = IntStream.range(0, 8)
                .map(i -> new BufferTable<String>().seed())
                .distinct()
                .count();

        assertThat(seeds).isGreaterThan(1);
    }

    /** Returns the multiplicative inverse of an odd number, by Newton's method. */
    private static int inverse(int odd) {
        int inverse = odd;
        for (int i = 0; i < 4; i++) {
            inverse *= 2 - odd * inverse;
        }
        return inverse;
    }

    @Test
    void shouldStoreConsecutiveIds() {
        for (int id = 0; id < 10_000; id++) {
            table.put(id, "value " + id);
        }
        for (int id = 0; id < 10_000; id += 2) {
            table.remove(id);
        }
        for (int id = 0; id < 10_000; id++) {
            assertThat(table.get(id)).isEqualTo(id % 2 == 0 ? null : "value " + id);
        }
    }
}
