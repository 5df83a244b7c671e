package io.rocketbufs.rocketlog.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The exclusive lock on a directory of logs. Only one object in one process can hold it at a time. The file
 * {@code LOCK} contains the id of that process. The operating system releases the lock when the process exits, even if
 * it is killed.
 *
 * <p>The operating system releases a process's lock on a file as soon as the process closes <em>any</em> descriptor of
 * that file. A second attempt in the same process must therefore be refused before it opens the file.
 *
 * <p><i>Thread-safety:</i> any thread.
 */
final class DirectoryLock implements AutoCloseable {
    static final String NAME = "LOCK";

    /**
     * The directories that this process has locked. The set is static because the operating system's locks also belong
     * to the whole process.
     */
    private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

    private final Path directory;
    private final FileChannel channel;

    private DirectoryLock(Path directory, FileChannel channel) {
        this.directory = directory;
        this.channel = channel;
    }

    /**
     * Locks a directory.
     *
     * @throws LogException if another process, or another object in this process, holds the lock
     */
    static DirectoryLock of(Path directory) throws IOException {
        Path real = directory.toRealPath();
        if (!HELD.add(real)) {
            throw inUse(directory, "this process, " + ProcessHandle.current().pid());
        }
        try {
            return lock(directory, real);
        } catch (IOException | RuntimeException e) {
            HELD.remove(real);
            throw e;
        }
    }

    private static DirectoryLock lock(Path directory, Path real) throws IOException {
        Path file = real.resolve(NAME);
        FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            if (channel.tryLock() == null) {
                throw inUse(directory, "process " + Files.readString(file).strip());
            }
            // The text has a fixed length, so it can be rewritten on a full disk.
            String pid = String.format("%-19d%n", ProcessHandle.current().pid());
            channel.write(ByteBuffer.wrap(pid.getBytes(StandardCharsets.US_ASCII)));
            return new DirectoryLock(real, channel);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private static LogException inUse(Path directory, String holder) {
        return new LogException(
                LogException.Code.LOCKED,
                directory + " is in use by " + holder,
                "stop that process, or use another directory",
                null);
    }

    /** Releases the lock. */
    @Override
    public void close() throws IOException {
        try {
            channel.close();
        } finally {
            HELD.remove(directory);
        }
    }
}
