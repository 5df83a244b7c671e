package io.rocketbufs.rocketlog.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The small files beside a segment.
 *
 * <p><i>Thread-safety:</i> stateless.
 */
final class IndexFiles {
    private static final Logger LOG = LoggerFactory.getLogger(IndexFiles.class);

    private IndexFiles() {}

    /** Returns the whole content of a file, or null if there is no such file. */
    static ByteBuffer content(LogFolder folder, String name) throws IOException {
        if (!folder.names().contains(name)) {
            return null;
        }
        try (LogFile file = folder.open(name)) {
            ByteBuffer content = ByteBuffer.allocate((int) Math.min(file.length(), LogOptions.LONGEST_SEGMENT));
            file.read(content, 0);
            return content.flip();
        }
    }

    /**
     * Returns the seal of a segment, or null if it has none that is complete.
     *
     * @throws LogException if a newer version of the program has written it
     */
    static Seal seal(LogFolder folder, long baseOffset) throws IOException {
        String name = SegmentName.of(baseOffset, SegmentName.SEAL);
        ByteBuffer content = content(folder, name);
        if (content == null) {
            return null;
        }
        int version = Seal.version(content);
        if (version > Seal.VERSION) {
            throw new LogException(
                    LogException.Code.VERSION,
                    folder.path(name) + " has version " + version + ", but this program supports version "
                            + Seal.VERSION + "; use a newer rocketlog",
                    null);
        }
        return Seal.of(content);
    }

    /**
     * Returns the index of a sealed segment, or null after a warning if a file is missing or does not match the seal.
     */
    static SegmentIndex read(LogFolder folder, Seal seal, int interval) throws IOException {
        ByteBuffer index = matching(folder, SegmentName.of(seal.baseOffset(), SegmentName.INDEX), seal.indexCrc());
        ByteBuffer timeIndex =
                matching(folder, SegmentName.of(seal.baseOffset(), SegmentName.TIME_INDEX), seal.timeIndexCrc());
        return index == null || timeIndex == null ? null : SegmentIndex.of(index, timeIndex, interval);
    }

    private static ByteBuffer matching(LogFolder folder, String name, int crc) throws IOException {
        ByteBuffer content = content(folder, name);
        if (content != null && Seal.crc(content, content.limit()) == crc) {
            return content;
        }
        LOG.warn(
                "{} {}; building the index from the log file",
                folder.path(name),
                content == null ? "is missing" : "does not match its segment's seal");
        return null;
    }
}
