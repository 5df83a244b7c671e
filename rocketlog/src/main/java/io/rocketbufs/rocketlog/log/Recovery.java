package io.rocketbufs.rocketlog.log;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The recovery of a log when it is opened. Sealed segments are trusted by their length; the others are scanned, and the
 * log ends at the first batch that is damaged or missing.
 *
 * <p>Damage in a sealed segment cannot come from a crash, because everything in it had been forced to the disk.
 * Recovery then refuses the log and deletes nothing.
 *
 * <p><i>Thread-safety:</i> one thread, before any other uses the log.
 */
final class Recovery {
    private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

    private final LogFolder folder;
    private final LogOptions options;
    private final List<Segment> segments = new ArrayList<>();
    private ProducerStates producers = new ProducerStates();

    private Recovery(LogFolder folder, LogOptions options) {
        this.folder = folder;
        this.options = options;
    }

    /**
     * Recovers the log in a folder. The last of its segments is the head.
     *
     * @throws LogException if a sealed segment is missing or damaged, or has been written by a newer version
     * @throws IOException if the disk refuses; the files are then in a state from which recovery can start again
     */
    static Recovery of(LogFolder folder, LogOptions options) throws IOException {
        Recovery recovery = new Recovery(folder, options);
        try {
            recovery.run();
        } catch (IOException | RuntimeException e) {
            for (Segment segment : recovery.segments) {
                segment.release();
            }
            throw e;
        }
        return recovery;
    }

    List<Segment> segments() {
        return segments;
    }

    ProducerStates producers() {
        return producers;
    }

    private void run() throws IOException {
        List<String> names = folder.names();
        List<Long> baseOffsets = names.stream()
                .map(name -> SegmentName.baseOffset(name, SegmentName.LOG))
                .filter(baseOffset -> baseOffset >= 0)
                .sorted()
                .toList();
        for (int i = 0; i < baseOffsets.size(); i++) {
            if (!open(baseOffsets.get(i))) {
                deleteFrom(baseOffsets.subList(i, baseOffsets.size()));
                break;
            }
        }
        deleteLeftovers(names);
        prepareHead();
    }

    private void deleteLeftovers(List<String> names) throws IOException {
        for (String name : names) {
            boolean isUnfinished = name.endsWith(SegmentName.UNFINISHED);
            boolean isOrphan = isOrphan(name, SegmentName.SEAL, names)
                    || isOrphan(name, SegmentName.INDEX, names)
                    || isOrphan(name, SegmentName.TIME_INDEX, names);
            if (isUnfinished || isOrphan) {
                folder.delete(name);
            }
        }
    }

    private static boolean isOrphan(String name, String suffix, List<String> names) {
        long baseOffset = SegmentName.baseOffset(name, suffix);
        return baseOffset >= 0 && !names.contains(SegmentName.of(baseOffset, SegmentName.LOG));
    }

    /** Opens the next segment. Returns false if the log ends before it. */
    private boolean open(long baseOffset) throws IOException {
        Seal seal = IndexFiles.seal(folder, baseOffset);
        Segment previous = segments.isEmpty() ? null : segments.get(segments.size() - 1);
        if (previous != null && previous.nextOffset() != baseOffset) {
            if (seal == null) {
                return false;
            }
            throw LogException.damaged(
                    folder.path(SegmentName.of(baseOffset, SegmentName.LOG)),
                    "the records from offset " + previous.nextOffset() + " to " + (baseOffset - 1)
                            + " are missing before this segment");
        }
        if (previous != null && !previous.isSealed()) {
            previous.seal(producers);
        }
        LogFile file = folder.open(SegmentName.of(baseOffset, SegmentName.LOG));
        if (seal == null) {
            Segment segment = new Segment(folder, file, baseOffset, new SegmentIndex(options.indexInterval()));
            segments.add(segment);
            scan(segment);
        } else {
            segments.add(Segment.sealed(folder, file, seal));
            checkLength(file, seal);
            producers = seal.producers();
        }
        return true;
    }

    private void checkLength(LogFile file, Seal seal) throws IOException {
        if (file.length() != seal.length()) {
            throw LogException.damaged(
                    folder.path(SegmentName.of(seal.baseOffset(), SegmentName.LOG)),
                    "the file has " + file.length() + " bytes, but the segment was sealed with " + seal.length());
        }
    }

    private void scan(Segment segment) throws IOException {
        SegmentScan scan = new SegmentScan(segment.file(), 0, segment.file().length(), segment.baseOffset());
        while (scan.next()) {
            segment.publish(scan.buffer(), scan.batch(), scan.batchLength());
            producers.add(scan.buffer(), scan.batch());
        }
        if (scan.problem() != null) {
            long length = segment.file().length() - segment.end();
            LOG.warn(
                    "{} ends at position {}: {}; removing the {} bytes behind it, which a crash has left incomplete",
                    segment.path(),
                    segment.end(),
                    scan.problem(),
                    length);
        }
        segment.cutToEnd();
    }

    /** Deletes the segments that follow a gap. None of them was sealed, so no record in them had been flushed. */
    private void deleteFrom(List<Long> baseOffsets) throws IOException {
        for (long baseOffset : baseOffsets) {
            if (IndexFiles.seal(folder, baseOffset) != null) {
                throw LogException.damaged(
                        folder.path(SegmentName.of(baseOffset, SegmentName.LOG)),
                        "records before this segment are missing");
            }
        }
        for (int i = baseOffsets.size() - 1; i >= 0; i--) {
            String name = SegmentName.of(baseOffsets.get(i), SegmentName.LOG);
            LOG.warn("deleting {}: records before it were not flushed before a crash", folder.path(name));
            folder.delete(name);
        }
        folder.force();
    }

    private void prepareHead() throws IOException {
        Segment last = segments.isEmpty() ? null : segments.get(segments.size() - 1);
        if (last == null) {
            segments.add(SegmentFiles.create(folder, 0, options));
            folder.force();
        } else if (last.isSealed() && last.end() < options.segmentLength()) {
            last.unseal(options.indexInterval());
        } else if (last.isSealed()) {
            segments.add(SegmentFiles.create(folder, last.nextOffset(), options));
            folder.force();
        }
    }
}
