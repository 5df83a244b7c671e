package io.rocketbufs.rocketlog.log;

import io.rocketbufs.rocketlog.record.RecordBatchLayout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The seal and the index files of a segment.
 *
 * <p><i>Thread-safety:</i> stateless.
 */
final class IndexFiles {
    private static final Logger LOG = LoggerFactory.getLogger(IndexFiles.class);

    private IndexFiles() {}

    /**
     * Returns the content of a file, or null if the file does not exist. If the file is longer than the maximum,
     * returns only the maximum number of bytes plus one, so that no CRC matches.
     */
    private static ByteBuffer content(LogFolder folder, String name, long longest) throws IOException {
        try (LogFile file = folder.open(name)) {
            ByteBuffer content = ByteBuffer.allocate((int) Math.min(file.length(), longest + 1));
            file.read(content, 0);
            return content.flip();
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /**
     * Reads the seal of a sealed segment.
     *
     * @throws LogException if the seal is damaged, or was written by a newer version of the program
     */
    static Seal seal(LogFolder folder, long baseOffset) throws IOException {
        String name = SegmentName.of(baseOffset, SegmentName.SEAL);
        ByteBuffer content = content(folder, name, Seal.LONGEST);
        if (content == null) {
            throw new NoSuchFileException(folder.path(name));
        }
        int version = Seal.version(content);
        if (version > Seal.VERSION) {
            throw new LogException(
                    LogException.Code.VERSION,
                    folder.path(name) + " has version " + version + ", but this program supports version "
                            + Seal.VERSION,
                    "use a newer rocketlog",
                    null);
        }
        Seal seal = Seal.of(content);
        if (seal == null || seal.baseOffset() != baseOffset) {
            throw LogException.damaged(
                    folder.path(name),
                    seal == null
                            ? "the CRC-32C or the content of the seal is wrong"
                            : "the seal belongs to the segment " + seal.baseOffset());
        }
        return seal;
    }

    /**
     * Returns the index of a sealed segment. If a file is missing or does not match the seal, logs a warning and
     * returns null.
     */
    static SegmentIndex read(LogFolder folder, Seal seal, int interval) throws IOException {
        ByteBuffer index = matching(folder, seal, SegmentName.INDEX, seal.indexCrc());
        ByteBuffer timeIndex = matching(folder, seal, SegmentName.TIME_INDEX, seal.timeIndexCrc());
        return index == null || timeIndex == null ? null : SegmentIndex.of(index, timeIndex, interval);
    }

    private static ByteBuffer matching(LogFolder folder, Seal seal, String suffix, int crc) throws IOException {
        ByteBuffer content = index(folder, seal, suffix);
        if (content != null && Seal.crc(content, content.limit()) == crc) {
            return content;
        }
        LOG.warn(
                "{} {}; building the index from the log file",
                folder.path(SegmentName.of(seal.baseOffset(), suffix)),
                content == null ? "is missing" : "does not match its segment's seal");
        return null;
    }

    /**
     * Returns the content of an index file, or null if the file is missing. The file has at most one entry for each
     * batch.
     */
    static ByteBuffer index(LogFolder folder, Seal seal, String suffix) throws IOException {
        long batches = seal.length() / RecordBatchLayout.HEADER_LENGTH + 1;
        return content(
                folder,
                SegmentName.of(seal.baseOffset(), suffix),
                batches * Math.max(IndexLayout.ENTRY_LENGTH, IndexLayout.TIME_ENTRY_LENGTH));
    }
}
