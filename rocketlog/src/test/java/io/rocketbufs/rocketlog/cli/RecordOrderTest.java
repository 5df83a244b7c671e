package io.rocketbufs.rocketlog.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class RecordOrderTest {
    private static LoadFaults faults(long sent, long... numbers) {
        RecordOrder order = new RecordOrder();
        for (long number : numbers) {
            order.accept(number);
        }
        return order.faults(sent);
    }

    @Test
    void shouldFindNoFaultInAscendingNumbers() {
        assertThat(faults(3, 0, 1, 2)).isEqualTo(LoadFaults.NONE);
        assertThat(faults(0)).isEqualTo(LoadFaults.NONE);
    }

    @Test
    void shouldCountLostNumbersAtTheBeginningInTheMiddleAndAtTheEnd() {
        assertThat(faults(6, 1, 4)).isEqualTo(new LoadFaults(4, 0, 0, 0));
        assertThat(faults(2)).isEqualTo(new LoadFaults(2, 0, 0, 0));
    }

    @Test
    void shouldCountALateNumberAsReorderedAndNotAsLost() {
        assertThat(faults(4, 0, 2, 3, 1)).isEqualTo(new LoadFaults(0, 0, 1, 0));
    }

    @Test
    void shouldCountARepeatedNumberAsDuplicated() {
        assertThat(faults(3, 0, 1, 1, 0, 2)).isEqualTo(new LoadFaults(0, 2, 0, 0));
        assertThat(faults(3, 0, 2, 1, 1)).isEqualTo(new LoadFaults(0, 1, 1, 0));
    }
}
