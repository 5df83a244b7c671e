package io.rocketbufs.rocketlog.log;

import io.rocketbufs.memory.FileSpace;
import io.rocketbufs.memory.MappedFile;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/**
 * A log file in the file system.
 *
 * <p>The JDK closes a channel if a thread is interrupted while using the channel. The log would then be unusable for
 * all threads. Reads and writes therefore reopen the file and repeat the operation. This is safe because each operation
 * specifies its position. All other operations use a {@link RandomAccessFile}, which interrupts do not affect. A force
 * must not be repeated on a new descriptor, because only descriptors that were open when the disk failed report the
 * failure.
 *
 * <p><i>Thread-safety:</i> see {@link LogFile}.
 */
final class DiskFile implements LogFile {
    private final Path path;
    private final Set<StandardOpenOption> access;
    /** The channel for reads and writes. */
    private volatile FileChannel channel;
    /** The file for all other operations, used only by maintenance and by a thread that appends to a full disk. */
    private final RandomAccessFile maintained;
    /** The first failure of a force, or null. Guarded by {@link #maintained}. */
    private IOException forceFailure;

    /** True once {@link #close} has been called. Guarded by this object's lock. */
    private boolean isClosed;

    DiskFile(Path path, Set<StandardOpenOption> access) throws IOException {
        this.path = path;
        this.access = access;
        this.channel = FileChannel.open(path, access); // first, because RandomAccessFile would create a missing file
        try {
            this.maintained =
                    new RandomAccessFile(path.toFile(), access.contains(StandardOpenOption.WRITE) ? "rw" : "r");
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    @Override
    public long length() throws IOException {
        return maintained.length();
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        int start = target.position();
        boolean isAtEnd = false;
        boolean wasInterrupted = false;
        try {
            while (!isAtEnd && target.hasRemaining()) {
                FileChannel current = channel;
                try {
                    isAtEnd = current.read(target, position + target.position() - start) < 0;
                } catch (ClosedChannelException e) {
                    wasInterrupted |= Thread.interrupted();
                    reopen(current, e);
                }
            }
            return target.position() - start;
        } finally {
            restore(wasInterrupted);
        }
    }

    @Override
    public void write(ByteBuffer source, long position) throws IOException {
        int start = source.position();
        boolean wasInterrupted = false;
        try {
            while (source.position() == start && source.hasRemaining()) {
                FileChannel current = channel;
                try {
                    current.write(source, position);
                } catch (ClosedChannelException e) {
                    wasInterrupted |= Thread.interrupted();
                    source.position(start);
                    reopen(current, e);
                } catch (IOException e) {
                    throw isFull(source.remaining()) ? full(e) : e;
                }
            }
        } finally {
            restore(wasInterrupted);
        }
    }

    /**
     * Returns true if the disk has no space for this many bytes. The system's error message cannot be parsed instead,
     * because its language depends on the locale.
     */
    private boolean isFull(int length) {
        try {
            return Files.getFileStore(path).getUsableSpace() < length;
        } catch (IOException e) {
            return false;
        }
    }

    private IOException full(IOException cause) {
        FileSystemException full = new FileSystemException(path.toString(), null, "No space left on device");
        full.initCause(cause);
        return full;
    }

    private static void restore(boolean wasInterrupted) {
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Replaces a channel that an interrupt of this or another thread has closed.
     *
     * @throws IOException if this file has been closed with {@link #close}, or cannot be reopened
     */
    private synchronized void reopen(FileChannel broken, ClosedChannelException cause) throws IOException {
        if (isClosed) {
            throw cause;
        }
        if (channel == broken) {
            channel = FileChannel.open(path, access);
        }
    }

    @Override
    public void allocate(long length) throws IOException {
        FileSpace.allocate(path, length);
    }

    @Override
    public SegmentMapping map(long length) throws IOException {
        if (length > maintained.length()) {
            maintained.setLength(length);
        }
        return new SegmentMapping(MappedFile.openReadOnly(path));
    }

    @Override
    public MappedFile mapWritable(long length) throws IOException {
        FileSpace.fill(path, length);
        return MappedFile.open(path);
    }

    @Override
    public long nextData(long from) throws IOException {
        return FileSpace.nextData(path, from);
    }

    @Override
    public void truncate(long length) throws IOException {
        if (length < maintained.length()) {
            maintained.setLength(length);
        }
    }

    @Override
    public void force() throws ForceException {
        synchronized (maintained) {
            if (forceFailure != null) {
                throw new ForceException(
                        new IOException("an earlier force failed: " + forceFailure.getMessage(), forceFailure));
            }
            try {
                maintained.getFD().sync();
            } catch (IOException e) {
                forceFailure = e; // the kernel reports each failure only once
                throw new ForceException(e);
            }
        }
    }

    @Override
    public synchronized void close() throws IOException {
        isClosed = true;
        channel.close();
        maintained.close();
    }
}
