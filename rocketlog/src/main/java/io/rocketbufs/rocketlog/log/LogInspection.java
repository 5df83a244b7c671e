package io.rocketbufs.rocketlog.log;

import io.rocketbufs.rocketlog.record.RecordBatchLayout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * An offline inspection of log files, which reads every byte and changes nothing. If a running process is appending to
 * a file, the end of the file may be reported as incomplete.
 *
 * <p><i>Thread-safety:</i> one thread.
 */
public final class LogInspection {
    private final Visitor visitor;
    private final Function<Path, String> deletedTopic;
    private final Set<String> deletedTopics = new TreeSet<>();
    private final List<Finding> findings = new ArrayList<>();
    private long batches;
    private long records;

    /** A visitor of valid batches and of the entries of valid indexes. */
    @FunctionalInterface
    public interface Visitor {
        /**
         * Called for each valid batch of a file, in order.
         *
         * @param position position of the batch in the file
         * @param buffer contains the batch during the call
         * @param batch position of the batch in the buffer
         */
        void onBatch(Path file, long position, ByteBuffer buffer, int batch);

        /**
         * Called for each entry of an index by offset, in order, after the batches of the segment.
         *
         * @param offset offset of the last record of a batch
         * @param position position of this batch in the segment
         */
        default void onOffsetEntry(Path file, long offset, long position) {}

        /**
         * Called for each entry of an index by time, in order, after the batches of the segment.
         *
         * @param timestamp the largest timestamp in the segment up to the batch of the entry
         * @param offset offset of the last record of the batch with this timestamp
         */
        default void onTimeEntry(Path file, long timestamp, long offset) {}
    }

    /**
     * A defect in a file.
     *
     * @param file the defective file
     * @param position position in the file of the batch or entry that contains the first bad byte
     * @param problem the defect and its consequence
     */
    public record Finding(Path file, long position, String problem) {}

    /** Creates an inspection that treats no topic as deleted. */
    public LogInspection(Visitor visitor) {
        this(visitor, partition -> null);
    }

    /**
     * Creates an inspection of a directory in which topics may have been deleted. The files of a deleted topic are
     * incomplete.
     *
     * @param deletedTopic returns the topic that a partition's folder belongs to if the topic was deleted, otherwise
     *     null
     */
    public LogInspection(Visitor visitor, Function<Path, String> deletedTopic) {
        this.visitor = visitor;
        this.deletedTopic = deletedTopic;
    }

    /** Returns the topics that were found to be deleted. Defects in their files are not reported. */
    public Set<String> deletedTopics() {
        return deletedTopics;
    }

    /** Returns the defects that have been found. */
    public List<Finding> findings() {
        return findings;
    }

    /** Adds a defect that another part of the program has found. */
    public void report(Finding finding) {
        findings.add(finding);
    }

    /** Returns the number of valid batches. */
    public long batches() {
        return batches;
    }

    /** Returns the number of records in valid batches. */
    public long records() {
        return records;
    }

    /**
     * Inspects a segment's {@code .log} file, the folder of a partition, or a directory with partitions.
     *
     * @throws LogException if the path is none of these, or was written by a newer version
     * @throws IOException if a file cannot be read
     */
    public void inspect(Path path) throws IOException {
        if (Files.isRegularFile(path)) {
            long baseOffset = SegmentName.baseOffset(path.getFileName().toString(), SegmentName.LOG);
            if (baseOffset < 0) {
                throw new LogException(
                        LogException.Code.VERSION,
                        path + " is not a segment: its name is not 20 digits and " + SegmentName.LOG,
                        "specify a segment, a partition or a log directory",
                        null);
            }
            inspectSegment(path.toAbsolutePath().getParent(), baseOffset);
            return;
        }
        if (!segments(path, SegmentName.LOG).isEmpty()
                || !segments(path, SegmentName.SEAL).isEmpty()) {
            inspectPartition(path);
            return;
        }
        DirectoryFormat.check(path);
        for (Path folder : folders(path)) {
            inspectUnlessDeleted(folder);
        }
    }

    /** Inspects a partition. Its topic may be deleted during the inspection. */
    private void inspectUnlessDeleted(Path folder) throws IOException {
        int found = findings.size();
        try {
            if (deletedTopic.apply(folder) == null) {
                inspectPartition(folder);
            }
        } catch (NoSuchFileException e) {
            if (deletedTopic.apply(folder) == null && Files.exists(folder)) {
                throw e;
            }
        }
        String topic = deletedTopic.apply(folder);
        if (topic != null) {
            deletedTopics.add(topic);
        }
        if (topic != null || !Files.exists(folder)) { // the deletion may have completed in the meantime
            findings.subList(found, findings.size()).clear();
        }
    }

    private static List<Path> folders(Path path) throws IOException {
        try (Stream<Path> children = Files.list(path)) {
            return children.filter(Files::isDirectory).sorted().toList();
        }
    }

    private static List<Long> segments(Path folder, String suffix) throws IOException {
        return DiskFolder.readOnly(folder).names().stream()
                .map(name -> SegmentName.baseOffset(name, suffix))
                .filter(baseOffset -> baseOffset >= 0)
                .sorted()
                .toList();
    }

    private void inspectPartition(Path folder) throws IOException {
        long expected = -1;
        List<Long> baseOffsets = segments(folder, SegmentName.LOG);
        for (long sealed : segments(folder, SegmentName.SEAL)) {
            if (!baseOffsets.contains(sealed) && (baseOffsets.isEmpty() || sealed > baseOffsets.get(0))) {
                report(folder, sealed, SegmentName.LOG, 0, "the file is missing, but the segment was complete");
            }
        }
        for (long baseOffset : baseOffsets) {
            if (expected >= 0 && expected != baseOffset) {
                report(
                        folder,
                        baseOffset,
                        SegmentName.LOG,
                        0,
                        "the previous segment ends at offset " + expected + ", so records are missing");
            }
            expected = inspectSegment(folder, baseOffset);
        }
    }

    /** Inspects a segment, and returns the offset after its last record. */
    private long inspectSegment(Path path, long baseOffset) throws IOException {
        LogFolder folder = DiskFolder.readOnly(path);
        String name = SegmentName.of(baseOffset, SegmentName.LOG);
        try (LogFile file = folder.open(name)) {
            SegmentScan scan = new SegmentScan(file, 0, file.length(), baseOffset);
            while (scan.next()) {
                batches++;
                records += RecordBatchLayout.count(scan.buffer(), scan.batch());
                visitor.onBatch(path.resolve(name), scan.position(), scan.buffer(), scan.batch());
            }
            if (scan.problem() != null) {
                report(path, baseOffset, SegmentName.LOG, scan.position(), scan.problem());
            }
            inspectSeal(path, folder, baseOffset, file.length(), scan);
            return scan.nextOffset();
        }
    }

    private void inspectSeal(Path path, LogFolder folder, long baseOffset, long length, SegmentScan scan)
            throws IOException {
        if (!folder.names().contains(SegmentName.of(baseOffset, SegmentName.SEAL))) {
            return;
        }
        Seal seal;
        try {
            seal = IndexFiles.seal(folder, baseOffset);
        } catch (LogException e) {
            if (e.code() != LogException.Code.DAMAGED) {
                throw e;
            }
            report(path, baseOffset, SegmentName.SEAL, 0, "the CRC-32C or the content of the seal is wrong");
            return;
        }
        if (seal.length() != length || scan.problem() == null && seal.nextOffset() != scan.nextOffset()) {
            report(
                    path,
                    baseOffset,
                    SegmentName.LOG,
                    Math.min(length, seal.length()),
                    "the segment was sealed with " + seal.length() + " bytes up to offset " + seal.nextOffset()
                            + ", but has " + length + " bytes up to offset " + scan.nextOffset());
        }
        long base = seal.baseOffset();
        ByteBuffer index = validIndex(path, folder, seal, SegmentName.INDEX, seal.indexCrc());
        Path indexFile = path.resolve(SegmentName.of(base, SegmentName.INDEX));
        for (int i = 0; i < index.limit() / IndexLayout.ENTRY_LENGTH; i++) {
            visitor.onOffsetEntry(indexFile, base + IndexLayout.offset(index, i), IndexLayout.position(index, i));
        }
        ByteBuffer timeIndex = validIndex(path, folder, seal, SegmentName.TIME_INDEX, seal.timeIndexCrc());
        Path timeFile = path.resolve(SegmentName.of(base, SegmentName.TIME_INDEX));
        for (int i = 0; i < timeIndex.limit() / IndexLayout.TIME_ENTRY_LENGTH; i++) {
            visitor.onTimeEntry(
                    timeFile, IndexLayout.timestamp(timeIndex, i), base + IndexLayout.timeOffset(timeIndex, i));
        }
    }

    /** Returns the content of an index file. If it is missing or damaged, reports this and returns no content. */
    private ByteBuffer validIndex(Path path, LogFolder folder, Seal seal, String suffix, int crc) throws IOException {
        ByteBuffer content = IndexFiles.index(folder, seal, suffix);
        if (content != null && Seal.crc(content, content.limit()) == crc) {
            return content;
        }
        String problem = content == null ? "the file is missing" : "the file does not match the segment's seal";
        report(path, seal.baseOffset(), suffix, 0, problem + "; it will be rebuilt from the log file when needed");
        return ByteBuffer.allocate(0);
    }

    private void report(Path folder, long baseOffset, String suffix, long position, String problem) {
        findings.add(new Finding(folder.resolve(SegmentName.of(baseOffset, suffix)), position, problem));
    }
}
