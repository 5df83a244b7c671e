package io.rocketbufs.rocketlog.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class LoadRecordLayoutTest {
    /** Returns a record in the middle of other memory. */
    private static ByteBuffer record(int size, int producer, long number, long stampNs) {
        ByteBuffer memory = ByteBuffer.allocate(size + 10);
        LoadRecordLayout.write(memory.slice(5, size), producer, number, stampNs);
        return memory.limit(5 + size).position(5);
    }

    @ParameterizedTest
    @ValueSource(ints = {16, 17, 24, 31, 256})
    void shouldReturnWhatItContains(int size) {
        ByteBuffer record = record(size, 3, 1L << 40, -7);
        assertThat(LoadRecordLayout.producer(record)).isEqualTo(3);
        assertThat(LoadRecordLayout.number(record)).isEqualTo(1L << 40);
        assertThat(LoadRecordLayout.stampNs(record)).isEqualTo(-7);
        assertThat(LoadRecordLayout.isIntact(record, size)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {17, 24, 31, 256})
    void shouldDetectEachChangedByteExceptInTheTimeStamp(int size) {
        ByteBuffer record = record(size, 1, 2, 3);
        for (int i = 0; i < size; i++) {
            record.put(5 + i, (byte) ~record.get(5 + i));
            assertThat(LoadRecordLayout.isIntact(record, size)).as("byte " + i).isEqualTo(i >= 8 && i < 16);
            record.put(5 + i, (byte) ~record.get(5 + i));
        }
        assertThat(LoadRecordLayout.isIntact(record.limit(record.limit() - 1), size))
                .isFalse();
        assertThat(LoadRecordLayout.isIntact(null, size)).isFalse();
    }
}
