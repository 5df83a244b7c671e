package io.rocketbufs.rocketlog.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rocketbufs.rocketlog.record.RecordBatchLayout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of a directory with two logs. A bit is flipped in one field of one file at a time, until every field of every
 * file has been tested.
 */
@Tag("once")
@Timeout(600)
final class FlippedBitTest {
    private static final int BATCHES = 300;
    private static final LogOptions OPTIONS =
            LogDirectoryTest.OPTIONS.withSegments(16 << 10, 0, 8 << 10).withIndexInterval(512);

    @TempDir
    Path folder;

    @BeforeEach
    void write() {
        try (LogDirectory directory = open()) {
            for (String name : List.of("orders-0", "orders-1")) {
                PartitionLog log = directory.partition(name);
                for (int i = 0; i < BATCHES; i++) {
                    log.append(Batches.of(i, 1, "value", 7, 0, i));
                }
            }
        }
    }

    private LogDirectory open() {
        return LogDirectory.open(folder, OPTIONS, (log, offset) -> {});
    }

    private List<Path> files(String suffix) throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("orders-0"))) {
            List<Path> found = files.filter(file -> file.toString().endsWith(suffix))
                    .sorted()
                    .toList();
            assertThat(found).hasSizeGreaterThan(1);
            return found;
        }
    }

    private static byte[] flipped(byte[] original, int place) {
        byte[] damaged = original.clone();
        damaged[place] ^= (byte) (1 << place % Byte.SIZE);
        return damaged;
    }

    private List<LogInspection.Finding> inspect() throws IOException {
        LogInspection inspection = new LogInspection((file, position, buffer, batch) -> {});
        inspection.inspect(folder);
        return inspection.findings();
    }

    private void assertFound(Path file, long position, int place) throws IOException {
        assertThat(inspect())
                .as("%s, byte %d", file, place)
                .anyMatch(each -> each.file().equals(file) && each.position() == position)
                .allMatch(each -> each.file().getParent().equals(file.getParent()));
    }

    /**
     * Asserts that the damaged partition is refused or recovered up to the damage, and that the other partition is
     * complete.
     */
    private void assertOthersGoOn() {
        try (LogDirectory directory = open()) {
            try {
                assertThat(directory.partition("orders-0").nextOffset()).isLessThanOrEqualTo(BATCHES);
            } catch (LogException e) {
                assertThat(e.code()).isIn(LogException.Code.DAMAGED, LogException.Code.VERSION);
                assertThat(e).hasMessageContaining(folder.resolve("orders-0").toString());
            }
            assertThat(Batches.read(directory.partition("orders-1"))).hasSize(BATCHES);
        }
    }

    private static List<Integer> positions(byte[] segment) {
        List<Integer> positions = new ArrayList<>();
        ByteBuffer batches = ByteBuffer.wrap(segment);
        for (int at = 0; at < segment.length; at += (int) RecordBatchLayout.length(batches, at)) {
            positions.add(at);
        }
        return List.of(positions.get(0), positions.get(positions.size() / 2), positions.get(positions.size() - 1));
    }

    @Test
    void shouldBeFoundInEachFieldOfABatch() throws Exception {
        for (Path file : files(SegmentName.LOG)) {
            byte[] original = Files.readAllBytes(file);
            for (int position : positions(original)) {
                for (int i = 0; i < RecordBatchLayout.HEADER_LENGTH + 10; i++) {
                    Files.write(file, flipped(original, position + i));
                    assertFound(file, position, i);
                }
            }
            Files.write(file, original);
        }
    }

    @Test
    void shouldBeFoundInEachFieldOfASealAndOfTheIndexes() throws Exception {
        for (String suffix : List.of(SegmentName.SEAL, SegmentName.INDEX, SegmentName.TIME_INDEX)) {
            for (Path file : files(suffix)) {
                byte[] original = Files.readAllBytes(file);
                for (int i = 0; i < original.length; i++) {
                    Files.write(file, flipped(original, i));
                    assertFound(file, 0, i);
                }
                Files.write(file, original);
            }
        }
    }

    @Test
    void shouldBeFoundInTheFileWithTheFormat() throws Exception {
        Path file = folder.resolve("FORMAT");
        byte[] original = Files.readAllBytes(file);
        for (int i = 0; i < original.length; i++) {
            Files.write(file, flipped(original, i));
            assertThatExceptionOfType(LogException.class)
                    .as("byte %d", i)
                    .isThrownBy(this::open)
                    .withMessageContaining(file.toString());
        }
    }

    @Test
    void shouldHarmNoOtherPartition() throws Exception {
        for (String suffix : List.of(SegmentName.LOG, SegmentName.SEAL, SegmentName.INDEX, SegmentName.TIME_INDEX)) {
            Path file = files(suffix).get(0);
            byte[] original = Files.readAllBytes(file);
            for (int i = 0; i < Math.min(original.length, RecordBatchLayout.HEADER_LENGTH); i += 5) {
                Files.write(file, flipped(original, i));
                assertOthersGoOn();
                if (Files.exists(file)) {
                    Files.write(file, original);
                }
            }
        }
    }
}
