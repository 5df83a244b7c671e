package io.rocketbufs.rbmq.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

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
            // Mostly few, so that entries are often displaced and moved back, and sometimes many.
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

    @Test
    void shouldHoldIdsThatFollowEachOther() {
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
