package io.rocketbufs.rocketlog.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The lock on a directory of logs, which at most one process holds. The file {@code LOCK} names the process. The system
 * releases the lock when the process ends, for whatever reason.
 *
 * <p><i>Thread-safety:</i> one thread.
 */
final class DirectoryLock implements AutoCloseable {
    private final FileChannel channel;

    private DirectoryLock(FileChannel channel) {
        this.channel = channel;
    }

    /**
     * Locks a directory.
     *
     * @throws LogException if another process or another object of this process holds the lock
     */
    static DirectoryLock of(Path directory) throws IOException {
        Path file = directory.resolve("LOCK");
        FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            FileLock lock = tryLock(channel);
            if (lock == null) {
                String holder = Files.readString(file).strip();
                throw new LogException(
                        LogException.Code.LOCKED,
                        directory + " is in use by process " + holder + "; stop that process, or use another directory",
                        null);
            }
            byte[] pid = (ProcessHandle.current().pid() + "\n").getBytes(StandardCharsets.US_ASCII);
            channel.truncate(0).write(ByteBuffer.wrap(pid));
            return new DirectoryLock(channel);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private static FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null;
        }
    }

    /** Releases the lock. */
    @Override
    public void close() throws IOException {
        channel.close();
    }
}
