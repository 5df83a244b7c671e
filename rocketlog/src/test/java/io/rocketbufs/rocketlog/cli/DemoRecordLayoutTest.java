package io.rocketbufs.rocketlog.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

final class DemoRecordLayoutTest {
    /** Memory with a record in the middle. */
    private final ByteBuffer memory = ByteBuffer.allocate(DemoRecordLayout.LENGTH + 10);

    private ByteBuffer record(int producer, long number, long stampNs) {
        DemoRecordLayout.write(memory.slice(5, DemoRecordLayout.LENGTH), producer, number, stampNs);
        return memory.limit(5 + DemoRecordLayout.LENGTH).position(5);
    }

    @Test
    void shouldReturnWhatItContains() {
        ByteBuffer record = record(3, 1L << 40, -7);
        assertThat(DemoRecordLayout.producer(record)).isEqualTo(3);
        assertThat(DemoRecordLayout.number(record)).isEqualTo(1L << 40);
        assertThat(DemoRecordLayout.stampNs(record)).isEqualTo(-7);
        assertThat(DemoRecordLayout.isIntact(record)).isTrue();
    }

    @Test
    void shouldDetectEachChangedByteExceptInTheTimeStamp() {
        ByteBuffer record = record(1, 2, 3);
        for (int i = 0; i < DemoRecordLayout.LENGTH; i++) {
            record.put(5 + i, (byte) ~record.get(5 + i));
            assertThat(DemoRecordLayout.isIntact(record)).as("byte " + i).isEqualTo(i >= 8 && i < 16);
            record.put(5 + i, (byte) ~record.get(5 + i));
        }
        assertThat(DemoRecordLayout.isIntact(record.limit(record.limit() - 1))).isFalse();
        assertThat(DemoRecordLayout.isIntact(null)).isFalse();
    }
}
