package io.rocketbufs.rocketlog.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.json.Json;
import io.rocketbufs.rocketlog.KafkasDump;
import io.rocketbufs.rocketlog.log.LogDirectory;
import io.rocketbufs.rocketlog.log.LogOptions;
import io.rocketbufs.rocketlog.record.BatchBuilder;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that {@code rocketlog dump} and Kafka's own tool show the same batches and indexes of a directory. */
@Tag("once")
@Timeout(600)
final class DumpComparisonTest {
    private static final int BATCHES = 100;
    private static final LogOptions OPTIONS = LogOptions.DEFAULTS
            .withSegments(4000, 0, 2000)
            .withIndexInterval(500)
            .withRetention(null, 0);
    private static final Pattern BATCH = Pattern.compile("baseOffset: ([0-9]+) lastOffset: ([0-9]+) count: ([0-9]+) .*"
            + " producerId: (-?[0-9]+) .* position: ([0-9]+) .* size: ([0-9]+) .* crc: ([0-9]+) isvalid: true");

    @TempDir
    Path folder;

    private void write() {
        try (LogDirectory directory = LogDirectory.open(folder, OPTIONS, (log, offset) -> {})) {
            for (int i = 0; i < BATCHES; i++) {
                ByteBuffer batch = ByteBuffer.allocate(1000);
                BatchBuilder builder = new BatchBuilder().begin(batch);
                for (int record = 0; record <= i % 5; record++) {
                    builder.add(1000 + i, null, UTF_8.encode("record " + record + " of batch " + i));
                }
                builder.finish();
                assertThat(directory.partition("orders-0").append(batch.flip())).isNotNegative();
            }
        }
    }

    private List<String> dumped(String... options) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Streams streams = new Streams(
                "rocketlog",
                InputStream.nullInputStream(),
                new PrintStream(out, true, UTF_8),
                new PrintStream(err, true, UTF_8));
        List<String> command =
                new ArrayList<>(List.of("dump", folder.resolve("orders-0").toString()));
        command.addAll(List.of(options));
        assertThat(Main.run(command.toArray(String[]::new), streams))
                .as(err::toString)
                .isZero();
        return out.toString(UTF_8).lines().toList();
    }

    private List<String> foundByRocketlog() {
        return dumped("--json").stream().map(DumpComparisonTest::batch).toList();
    }

    private static String batch(String json) {
        Config fields = Json.parse(json);
        return Stream.of("base_offset", "last_offset", "count", "producer_id", "position", "length", "crc")
                .map(field -> Long.toString(fields.getLong(field)))
                .collect(Collectors.joining(" "));
    }

    private List<Path> files(String... suffixes) throws Exception {
        List<Path> files;
        try (Stream<Path> all = Files.list(folder.resolve("orders-0"))) {
            files = all.filter(file -> Stream.of(suffixes).anyMatch(file.toString()::endsWith))
                    .sorted()
                    .toList();
        }
        assertThat(files).hasSizeGreaterThan(1);
        return files;
    }

    private List<String> foundByKafka() throws Exception {
        return KafkasDump.of(files(".log"))
                .lines()
                .map(BATCH::matcher)
                .filter(Matcher::matches)
                .map(found -> IntStream.rangeClosed(1, found.groupCount())
                        .mapToObj(found::group)
                        .collect(Collectors.joining(" ")))
                .toList();
    }

    @Test
    void shouldFindTheSameBatchesAsKafkasTool() throws Exception {
        write();
        assertThat(foundByRocketlog()).hasSize(BATCHES).isEqualTo(foundByKafka());
    }

    /** Returns the entries of indexes in a tool's output, each with the name of its file. */
    private static List<String> entries(List<String> lines) {
        List<String> entries = new ArrayList<>();
        String file = "";
        for (String line : lines) {
            if (line.endsWith("index")) {
                file = line.substring(line.lastIndexOf('/') + 1);
            } else if (line.strip().matches("(offset|timestamp)(=|: ).*")) {
                entries.add(file + " " + line.strip().replace("=", ": "));
            }
        }
        return entries;
    }

    @Test
    void shouldFindTheSameEntriesOfIndexesAsKafkasTool() throws Exception {
        write();
        List<Path> files = files(".index", ".timeindex");
        List<String> byKafka = entries(KafkasDump.of(files).lines().toList());
        assertThat(byKafka).hasSizeGreaterThan(files.size());
        assertThat(entries(dumped("--index"))).isEqualTo(byKafka);
        assertThat(dumped("--json", "--index"))
                .filteredOn(line -> line.endsWith("index\"}"))
                .hasSameSizeAs(byKafka)
                .allMatch(line -> line.matches("\\{\"(offset|timestamp)\":[0-9]+,\"(position|offset)\":[0-9]+,.*"));
        assertThat(entries(dumped())).isEmpty();
    }
}
