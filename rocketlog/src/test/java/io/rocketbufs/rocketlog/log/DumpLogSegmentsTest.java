package io.rocketbufs.rocketlog.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import kafka.tools.DumpLogSegments;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Kafka's own tool reads the segments and the indexes that the log writes. */
@Isolated("replaces standard output, which the tool writes to")
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
                // Timestamps that go back and forth
                log.append(Batches.of(1_700_000_000_000L + i * 37L % 1000, 3, "value", 5, 0, i * 3));
            }
        }
        String output = dump(files());
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

    private static String dump(List<Path> files) {
        String names = files.stream().map(Path::toString).collect(Collectors.joining(","));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream before = System.out;
        System.setOut(new PrintStream(bytes, true, UTF_8));
        try {
            DumpLogSegments.main(new String[] {"--deep-iteration", "--print-data-log", "--files", names});
        } finally {
            System.setOut(before);
        }
        return bytes.toString(UTF_8);
    }
}
