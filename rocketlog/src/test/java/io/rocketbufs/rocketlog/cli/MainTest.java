package io.rocketbufs.rocketlog.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.cli.RecordedStreams;
import io.rocketbufs.rocketlog.log.LogDirectory;
import io.rocketbufs.rocketlog.log.LogOptions;
import io.rocketbufs.rocketlog.record.BatchBuilder;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the commands on a log with two batches. */
final class MainTest {
    private final RecordedStreams recorded = new RecordedStreams("rocketlog");

    @TempDir
    Path folder;

    @BeforeEach
    void writeLog() {
        LogOptions options =
                LogOptions.DEFAULTS.withSegments(1 << 20, 0, 1 << 16).withRetention(null, 0);
        try (LogDirectory directory = LogDirectory.open(folder, options, (log, offset) -> {})) {
            for (String value : new String[] {"once", "\u001b[2J"}) {
                ByteBuffer batch = ByteBuffer.allocate(200);
                BatchBuilder builder = new BatchBuilder().begin(batch);
                builder.add(7, null, UTF_8.encode(value));
                builder.finish();
                assertThat(directory.partition("orders-0").append(batch.flip())).isNotNegative();
            }
        }
    }

    private int run(String... arguments) {
        recorded.clear();
        return Main.run(arguments, recorded.withoutInput());
    }

    @Test
    void shouldPrintBatchesAndRecordsWithoutControlCharacters() {
        assertThat(run("dump", "--records", folder.toString())).isZero();
        assertThat(recorded.out())
                .contains("base_offset=0 ", "base_offset=1 ", "offset=0 timestamp=7 key=null value=\"once\"")
                .doesNotContain("\u001b");
        assertThat(run("dump", "--json", folder.toString())).isZero();
        assertThat(recorded.out().lines()).hasSize(2).allMatch(line -> line.startsWith("{\"position\":"));
    }

    @Test
    void shouldExitWithOneAndNameFileAndPositionOfDamage() throws Exception {
        assertThat(run("verify", folder.toString())).isZero();
        assertThat(recorded.out()).contains("2 batches with 2 records are valid; 0 defects");
        Path segment = folder.resolve("orders-0").resolve("00000000000000000000.log");
        byte[] bytes = Files.readAllBytes(segment);
        bytes[bytes.length - 3] ^= 1;
        Files.write(segment, bytes);
        assertThat(run("verify", folder.toString())).isEqualTo(1);
        assertThat(recorded.err())
                .contains(segment + ": position " + bytes.length / 2)
                .contains("CRC-32C");
        assertThat(recorded.out()).contains("1 batch with 1 record is valid; 1 defect");
        assertThat(run("verify", "--json", folder.toString())).isEqualTo(1);
        assertThat(recorded.out()).contains("\"batches\":1").contains("\"file\":\"" + segment);
    }

    @Test
    void shouldRefuseAPathWithoutLogs(@TempDir Path empty) {
        assertThat(run("verify", empty.toString())).isEqualTo(1);
        assertThat(recorded.err()).contains(empty + " is not a log directory");
        assertThat(run("verify", empty.resolve("missing").toString())).isEqualTo(1);
        assertThat(recorded.err()).contains("missing: no such file or directory");
    }

    @Test
    void shouldSayWhyATopicInMemoryCannotBeInspected() throws Exception {
        Path topics = Files.createDirectory(folder.resolve("topics"));
        Files.writeString(topics.resolve("ticks"), "rocketlog topic 2\npartitions 1\nmemory 8388608\ncreated 1\n");
        for (String path : new String[] {"ticks-0", "ticks-0/00000000000000000000.log"}) {
            for (String command : new String[] {"dump", "verify"}) {
                assertThat(run(command, folder.resolve(path).toString())).isEqualTo(1);
                assertThat(recorded.err())
                        .contains(path + " does not exist: the records of topic ticks are only in the broker's memory;"
                                + " read them with: rocketlog consume ticks");
            }
        }
        assertThat(run("dump", folder.toString())).isZero();
    }

    @Test
    void shouldNameDeletedTopicsInsteadOfInspectingTheirRemainingFiles() throws Exception {
        try (LogDirectory directory = LogDirectory.open(folder, LogOptions.DEFAULTS, (log, offset) -> {})) {
            directory.partition("gone-0");
            directory.partition("gone-1");
        }
        Path log = folder.resolve("gone-1/00000000000000000000.log");
        Files.delete(log); // the seal remains
        assertThat(run("verify", folder.toString())).isEqualTo(1);
        Path topics = Files.createDirectory(folder.resolve("topics"));
        Path file = Files.createFile(topics.resolve("gone~deleted"));
        String deleted = ": topic gone was deleted, so its files are not inspected; the broker removes any remaining"
                + " files no later than its next start";
        for (String command : new String[] {"dump", "verify"}) {
            assertThat(run(command, folder.toString())).isZero();
            assertThat(recorded.err()).isEqualTo("rocketlog: " + folder + deleted + "\n");
            for (Path each : new Path[] {folder.resolve("gone-0"), log}) {
                assertThat(run(command, each.toString())).isEqualTo(1);
                assertThat(recorded.err()).contains(each + deleted);
            }
        }
        assertThat(run("verify", "--json", folder.toString())).isZero();
        assertThat(recorded.out()).contains("\"batches\":2", "\"damaged\":[],\"deletedTopics\":[\"gone\"]");
        Files.copy(file, topics.resolve("gone")); // as if a crash had undone the deletion
        assertThat(run("verify", folder.toString())).isEqualTo(1);
    }

    @Test
    void shouldSuggestASimilarCommand() {
        assertThat(run("verfy")).isEqualTo(2);
        assertThat(recorded.err()).contains("Unknown command: 'verfy'").contains("verify");
    }
}
