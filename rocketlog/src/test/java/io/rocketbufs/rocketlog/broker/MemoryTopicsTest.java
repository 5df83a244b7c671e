package io.rocketbufs.rocketlog.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rocketbufs.rocketlog.broker.LogTopics.RefusedException;
import io.rocketbufs.rocketlog.log.LogOptions;
import io.rocketbufs.rocketlog.log.MemoryLogs;
import io.rocketbufs.rocketlog.protocol.TopicMessageLayout;
import org.junit.jupiter.api.Test;

final class MemoryTopicsTest {
    private static MemoryTopics topics(long capacity) {
        return new MemoryTopics(
                new MemoryLogs(LogOptions.DEFAULTS), new LogBrokerSettings.Memory(capacity, Long.MAX_VALUE));
    }

    @Test
    void shouldNameTheKeyIfTheDefaultCapacityIsTooSmall() {
        try (MemoryTopics topics = topics(100_000)) {
            assertThatExceptionOfType(RefusedException.class)
                    .isThrownBy(() -> topics.capacity("ticks", TopicMessageLayout.DEFAULT_CAPACITY))
                    .withMessageStartingWith("topic ticks: rocketlog.memory.capacity=100000 bytes must be from ");
            assertThatExceptionOfType(RefusedException.class)
                    .isThrownBy(() -> topics.capacity("ticks", 5000))
                    .withMessageStartingWith("topic ticks: capacity=5000 bytes must be from ");
        }
    }

    @Test
    void shouldBeginWithHigherOffsetsAfterARestartUnlessTheClockWasSetBack() {
        assertThat(MemoryTopics.firstOffset("ticks", 5000, 5003)).isEqualTo(300_000);
        assertThat(MemoryTopics.firstOffset("ticks", 5000, 4000)).isZero();
    }
}
