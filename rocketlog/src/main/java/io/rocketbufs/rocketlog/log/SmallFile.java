package io.rocketbufs.rocketlog.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * The creation of small files. After a crash, such a file is either complete or absent.
 *
 * <p><i>Thread-safety:</i> stateless; one thread at a time may write a file.
 */
public final class SmallFile {
    private SmallFile() {}

    /**
     * Writes a file, and returns when the disk has stored it. Creates the folder if it does not exist.
     *
     * @throws LogException if a disk operation fails; the message names the file. The file then does not exist, even
     *     after a crash, unless the message states that it may exist
     */
    public static void write(Path folder, String name, ByteBuffer content) {
        try {
            write(DiskFolder.writable(folder), name, content);
        } catch (IOException e) {
            throw LogException.of("write", folder.resolve(name).toString(), e);
        }
    }

    /** Writes a file under a temporary name, forces the file, renames it, and forces the new name. */
    static void write(LogFolder folder, String name, ByteBuffer content) throws IOException {
        try (LogFile file = folder.create(name + SegmentName.UNFINISHED)) {
            while (content.hasRemaining()) {
                file.write(content, content.position());
            }
            file.force();
        }
        folder.rename(name + SegmentName.UNFINISHED, name);
        try {
            folder.force();
        } catch (IOException e) {
            throw delete(folder, name, LogException.of("write", folder.path(name), e));
        }
    }

    /**
     * Deletes a file whose name the disk may have stored even though forcing the name failed. Returns the exception to
     * throw.
     */
    private static LogException delete(LogFolder folder, String name, LogException refused) {
        try {
            folder.delete(name);
            folder.force();
            return refused;
        } catch (IOException e) {
            refused.addSuppressed(e);
            return new LogException(
                    refused.code(),
                    refused.getMessage(),
                    "after a crash or a restart, the file may still exist",
                    refused);
        }
    }

    /** Returns true for the name of an incomplete file. */
    public static boolean isUnfinished(String name) {
        return name.endsWith(SegmentName.UNFINISHED);
    }
}
