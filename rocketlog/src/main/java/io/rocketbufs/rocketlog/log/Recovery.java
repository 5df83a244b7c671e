package io.rocketbufs.rocketlog.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The recovery of a log that is being opened. It first examines all files without changing them:
 *
 * <ul>
 *   <li>A segment with a seal is trusted if its length matches.
 *   <li>A segment without a seal is scanned. The log ends at the first batch that is damaged or missing.
 *   <li>A crash does not damage sealed segments, and seals are written in segment order. Damage in or before a sealed
 *       segment, a missing segment, or a damaged seal therefore has another cause, and the log is refused.
 * </ul>
 *
 * <p>Recovery then removes any data that a crash has left after the end of the log, and makes everything before the end
 * durable.
 *
 * <p><i>Thread-safety:</i> one thread, before any other thread uses the log.
 */
final class Recovery {
    private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);
    /** Number of bytes after which the progress is updated. */
    private static final int PROGRESS_STEP = 1 << 20;
    /** Minimum length of the segments to recover for which the buffer is allocated outside the heap. */
    private static final long LONG_RECOVERY = 64 << 20;

    private final String log;
    private final LogFolder folder;
    private final LogOptions options;
    private final RecoveryProgress progress;
    private final Map<Long, Seal> seals = new HashMap<>();
    private final List<Segment> segments = new ArrayList<>();
    /** The producers at the end of each segment without a seal, in the order of the segments. */
    private final List<ProducerStates> states = new ArrayList<>();
    /** The base offsets of segments that are not part of the log. */
    private final List<Long> strays = new ArrayList<>();

    /** The buffer for reading and writing segments without a seal; null if there are none. */
    private ByteBuffer window;

    /** The producers at the end of the last segment; null while only its seal contains them. */
    private ProducerStates producers = new ProducerStates();

    private Recovery(String log, LogFolder folder, LogOptions options, RecoveryProgress progress) {
        this.log = log;
        this.folder = folder;
        this.options = options;
        this.progress = progress;
    }

    /**
     * Recovers the log in a folder. The last segment becomes the head.
     *
     * @throws LogException if a completed file is missing or damaged, or was written by a newer version. In this case,
     *     no file has been changed
     * @throws IOException if a disk operation fails. Recovery can then be repeated
     */
    static Recovery of(String log, LogFolder folder, LogOptions options, RecoveryProgress progress) throws IOException {
        Recovery recovery = new Recovery(log, folder, options, progress);
        try {
            recovery.run();
        } catch (IOException | RuntimeException | Error e) {
            for (Segment segment : recovery.segments) {
                segment.release();
            }
            throw e;
        } finally {
            progress.end(log);
        }
        return recovery;
    }

    List<Segment> segments() {
        return segments;
    }

    ProducerStates producers() {
        return producers;
    }

    /** Returns the producers at the end of each segment without a seal, except the head. */
    List<ProducerStates> rolledStates() {
        long rolled = segments.stream()
                .filter(segment -> !segment.isSealed() && segment != last())
                .count();
        return states.subList(0, (int) rolled);
    }

    private void run() throws IOException {
        List<String> names = folder.names();
        List<Long> baseOffsets = baseOffsets(names, SegmentName.LOG);
        judgeSeals(baseOffsets(names, SegmentName.SEAL), baseOffsets);
        prepare(baseOffsets);
        judge(baseOffsets);
        if (!segments.isEmpty()) {
            readProducers(last().nextOffset());
        }

        complete();
        deleteStrays();
        deleteLeftovers(names);
        prepareHead();
    }

    private static List<Long> baseOffsets(List<String> names, String suffix) {
        return names.stream()
                .map(name -> SegmentName.baseOffset(name, suffix))
                .filter(baseOffset -> baseOffset >= 0)
                .sorted()
                .toList();
    }

    /**
     * Reads all seals. Ignores seals before the first segment: they are leftovers, because retention deletes a segment
     * before its seal.
     */
    private void judgeSeals(List<Long> sealed, List<Long> baseOffsets) throws IOException {
        for (long baseOffset : sealed) {
            if (baseOffsets.contains(baseOffset)) {
                seals.put(baseOffset, IndexFiles.seal(folder, baseOffset).withoutProducers());
            } else if (baseOffsets.isEmpty() || baseOffset > baseOffsets.get(0)) {
                throw LogException.damaged(
                        folder.path(SegmentName.of(baseOffset, SegmentName.LOG)),
                        "the file is missing, but the segment was complete");
            }
        }
    }

    /** Prepares to recover the segments without a seal, if there are any. */
    private void prepare(List<Long> baseOffsets) throws IOException {
        int count = 0;
        long bytes = 0;
        for (long baseOffset : baseOffsets) {
            if (!seals.containsKey(baseOffset)) {
                try (LogFile file = folder.open(SegmentName.of(baseOffset, SegmentName.LOG))) {
                    bytes += file.length();
                }
                count++;
            }
        }
        if (count > 0) {
            progress.begin(log, count, bytes);
            window = window(bytes);
        }
    }

    /**
     * Returns a buffer for segments of the given total length. The system reads directly into memory outside the heap,
     * which saves copies. But only a garbage collection frees this memory, and there may be thousands of short logs.
     */
    private static ByteBuffer window(long bytes) {
        int length = (int) Math.min(SegmentScan.WINDOW, bytes);
        return bytes >= LONG_RECOVERY ? ByteBuffer.allocateDirect(length) : ByteBuffer.allocate(length);
    }

    private void judge(List<Long> baseOffsets) throws IOException {
        long lastSealed =
                seals.keySet().stream().mapToLong(Long::longValue).max().orElse(-1);
        for (int i = 0; i < baseOffsets.size(); i++) {
            long baseOffset = baseOffsets.get(i);
            if (follows(baseOffset)) {
                open(baseOffset, lastSealed);
            } else if (seals.containsKey(baseOffset) || !isEmptyInside(baseOffset)) {
                if (baseOffset <= lastSealed) {
                    throw LogException.damaged(
                            folder.path(SegmentName.of(baseOffset, SegmentName.LOG)),
                            "the previous segment ends at offset " + last().nextOffset()
                                    + ", but it, or a later one, was complete");
                }
                strays.addAll(baseOffsets.subList(i, baseOffsets.size()));
                return;
            } else {
                strays.add(baseOffset);
            }
        }
    }

    private Segment last() {
        return segments.get(segments.size() - 1);
    }

    private boolean follows(long baseOffset) {
        return segments.isEmpty() || last().nextOffset() == baseOffset;
    }

    /**
     * Returns true if a file is empty and its base offset is inside the previous segment, because creating the file
     * failed.
     */
    private boolean isEmptyInside(long baseOffset) throws IOException {
        try (LogFile file = folder.open(SegmentName.of(baseOffset, SegmentName.LOG))) {
            return baseOffset < last().nextOffset() && file.length() == 0;
        }
    }

    private void open(long baseOffset, long lastSealed) throws IOException {
        LogFile file = folder.open(SegmentName.of(baseOffset, SegmentName.LOG));
        Seal seal = seals.get(baseOffset);
        Segment segment = seal != null
                ? Segment.sealed(folder, file, seal)
                : new Segment(folder, file, baseOffset, new SegmentIndex(options.indexInterval()));
        segments.add(segment);
        if (file.length() > LogOptions.LONGEST_SEGMENT) {
            throw LogException.damaged(
                    segment.path(), "the file has " + file.length() + " bytes, more than the longest segment");
        }
        if (seal == null) {
            scan(segment, baseOffset < lastSealed);
        } else if (file.length() != seal.length()) {
            throw LogException.damaged(
                    segment.path(),
                    "the file has " + file.length() + " bytes, but the segment was sealed with " + seal.length());
        } else {
            producers = null;
        }
    }

    private void scan(Segment segment, boolean mustBeComplete) throws IOException {
        readProducers(segment.baseOffset());
        long length = segment.file().length();
        SegmentScan scan = new SegmentScan(segment.file(), 0, length, segment.baseOffset(), window);
        long counted = 0;
        while (scan.next()) {
            segment.publish(scan.buffer(), scan.batch(), scan.batchLength());
            producers.add(scan.buffer(), scan.batch());
            if (segment.end() - counted >= PROGRESS_STEP) {
                progress.check(0, segment.end() - counted);
                counted = segment.end();
            }
        }
        progress.check(1, length - counted);
        states.add(producers.copy());
        if (scan.problem() == null) {
            return;
        }
        if (mustBeComplete) {
            throw LogException.damaged(
                    segment.path(),
                    "at position " + segment.end() + ": " + scan.problem() + "; a later segment was complete");
        }
        long rest = length - segment.end();
        LOG.warn(
                "{} ends at position {}: {}; removing {} {} after it, left incomplete by a crash",
                segment.path(),
                segment.end(),
                scan.problem(),
                rest,
                rest == 1 ? "byte" : "bytes");
    }

    /**
     * Reads the producers from the seal of the segment that ends at the given offset, unless they have already been
     * read.
     */
    private void readProducers(long nextOffset) throws IOException {
        if (producers == null) {
            Segment previous = segments.stream()
                    .filter(segment -> segment.isSealed() && segment.nextOffset() == nextOffset)
                    .findFirst()
                    .orElseThrow();
            producers = IndexFiles.seal(folder, previous.baseOffset()).producers();
        }
    }

    /**
     * Makes the segments without a seal durable. Leaves sealing them to maintenance, because a full disk has no space
     * for seals.
     */
    private void complete() throws IOException {
        for (Segment segment : segments) {
            if (!segment.isSealed()) {
                segment.rewrite(window, progress);
                segment.cutToEnd();
                progress.rewrite(1, 0);
            }
        }
    }

    /** Deletes the stray segments, last segment first, so that a crash leaves no gap. */
    private void deleteStrays() throws IOException {
        for (int i = strays.size() - 1; i >= 0; i--) {
            String name = SegmentName.of(strays.get(i), SegmentName.LOG);
            LOG.warn("Deleting {}: it is not part of the recovered log", folder.path(name));
            folder.delete(name);
        }
        if (!strays.isEmpty() || !segments.isEmpty() && !last().isSealed()) {
            folder.force(); // otherwise, preparing the head does this
        }
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

    private void prepareHead() throws IOException {
        if (segments.isEmpty()) {
            segments.add(SegmentFiles.create(folder, 0, options));
            folder.force();
        } else if (last().isSealed() && last().end() < options.segmentLength()) {
            last().unseal(options.indexInterval());
        } else if (last().isSealed()) {
            segments.add(SegmentFiles.create(folder, last().nextOffset(), options));
            folder.force();
        }
    }
}
