package io.rocketbufs.rocketlog.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rocketlog.log.LogDirectory;
import io.rocketbufs.rocketlog.log.LogException;
import io.rocketbufs.rocketlog.log.LogListener;
import io.rocketbufs.rocketlog.log.LogOptions;
import io.rocketbufs.rocketlog.log.PartitionLog;
import io.rocketbufs.rocketlog.protocol.AppendResult;
import io.rocketbufs.rocketlog.record.BatchLimits;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PendingResultsTest {
    @Test
    void shouldKeepResultsThatExceedTheWindow() {
        PendingResults results = new PendingResults(2, 8);
        results.add(9, 900);
        results.add(8, 800);
        assertThat(results.hasRoom()).isFalse();
        assertThat(results.readyCount()).isEqualTo(2);
        assertThat(results.number()).isEqualTo(9);
        assertThat(results.take()).isEqualTo(900);
        for (int i = 0; i < 20; i++) {
            results.add(i, i * 10L);
        }
        assertThat(results.count()).isEqualTo(21);
        assertThat(results.count(7)).isEqualTo(1);
        assertThat(results.readyCount()).isEqualTo(21);
        assertThat(results.number()).isEqualTo(8);
        assertThat(results.take()).isEqualTo(800);
        for (int i = 0; i < 20; i++) {
            assertThat(results.number()).isEqualTo(i);
            assertThat(results.take()).isEqualTo(i * 10L);
        }
        assertThat(results.count(7)).isZero();
        assertThat(results.isEmpty()).isTrue();
        assertThat(results.hasRoom()).isTrue();
    }

    @Test
    void shouldAnswerResultsThatWaitForTheDiskWhenTheTopicIsDeleted(@TempDir Path folder) {
        LogOptions options = LogOptions.DEFAULTS
                .withSegments(64 << 10, 0, 16 << 10)
                .withFlush(LogOptions.FlushPolicy.NONE); // the test decides when records are durable
        PendingResults results = new PendingResults(2, 8);
        Failures failures = new Failures();
        try (LogDirectory directory = LogDirectory.open(folder, options, failures)) {
            PartitionLog log = directory.partition("orders-0");
            LogPartition partition = new LogPartition(directory, log, BatchLimits.NONE, true, new LogCounters());
            for (int i = 0; i < 2; i++) {
                long offset = partition.append(RawProducer.batch(7, 0, i, "value"));
                assertThat(offset).isEqualTo(i);
                results.add(0, offset, partition, offset + 1);
            }
            assertThat(results.readyCount()).isZero();
            partition.delete();
            assertThat(results.readyCount()).isEqualTo(2);
            assertThat(results.take()).isEqualTo(AppendResult.TOPIC_DELETED);
            results.add(0, 1, partition, 2);
            directory.remove(log);
            assertThat(failures.codes).contains(LogException.Code.DELETED); // the failure wakes the waiting producers
            assertThat(results.readyCount()).isEqualTo(2);
            assertThat(results.take()).isEqualTo(AppendResult.TOPIC_DELETED);
            assertThat(results.take()).isEqualTo(AppendResult.TOPIC_DELETED);
        }
    }

    private static final class Failures implements LogListener {
        final List<LogException.Code> codes = new CopyOnWriteArrayList<>();

        @Override
        public void onDurable(PartitionLog log, long durableOffset) {}

        @Override
        public void onFailed(PartitionLog log, LogException cause) {
            codes.add(cause.code());
        }
    }
}
