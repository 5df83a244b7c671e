package io.rocketbufs.rocketlog.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rocketlog.KafkasDump;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that Kafka's own tool can read the segments and indexes that the log writes. */
@Tag("once")
final class DumpLogSegmentsTest {
    private static final int BATCHES = 500;

    @TempDir
    Path folder;

    @Test
    void shouldWriteSegmentsAndIndexesThatKafkasToolAccepts() throws Exception {
        LogOptions options = LogOptions.DEFAULTS
                .withSegments(20_000, 8000, 10_000)
                .withIndexInterval(500)
                .withRetention(null, 0);
        try (LogDirectory directory = LogDirectory.open(folder, options, (log, offset) -> {})) {
            PartitionLog log = directory.partition("orders-0");
            for (int i = 0; i < BATCHES; i++) {
                // The timestamps are not in order.
                log.append(Batches.of(1_700_000_000_000L + i * 37L % 1000, 3, "value", 5, 0, i * 3));
            }
        }
        String output = KafkasDump.of(files(), "--deep-iteration", "--print-data-log");
        assertThat(output.lines().filter(line -> line.startsWith("baseOffset:")))
                .hasSize(BATCHES);
        assertThat(output)
                .doesNotContain("isvalid: false")
                .doesNotContain("mismatch")
                .doesNotContain("Mismatch")
                .doesNotContain("invalid")
                .doesNotContain("out of order")
                .contains("payload: value")
                .contains("producerId: 5");
    }

    private List<Path> files() throws Exception {
        try (Stream<Path> all = Files.list(folder.resolve("orders-0"))) {
            return all.filter(file -> !file.toString().endsWith(SegmentName.SEAL))
                    .sorted()
                    .toList();
        }
    }
}
