package io.rocketbufs.rocketlog.log;

import io.rocketbufs.memory.MappedFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * An open file of a log, limited to the disk operations that the log needs. Tests implement it with a simulated disk.
 *
 * <p><i>Thread-safety:</i> one thread writes, one thread forces, and any number of threads read.
 */
interface LogFile extends Closeable {
    /** Returns the current length in bytes. */
    long length() throws IOException;

    /**
     * Reads from the given position until the target is full or the file ends.
     *
     * @return the number of bytes read; less than requested only at the end of the file
     */
    int read(ByteBuffer target, long position) throws IOException;

    /**
     * Writes some of the source's remaining bytes to the given position, and advances the source's position past them.
     * The file grows as needed.
     */
    void write(ByteBuffer source, long position) throws IOException;

    /** Called when the bytes up to a position become visible to readers. */
    default void published(long end) {}

    /**
     * Reserves disk space up to the given length; new bytes read as zero. A longer file keeps its length.
     *
     * @throws IOException if the disk is full. The file is then unchanged, or partly extended with zeros.
     */
    void allocate(long length) throws IOException;

    /**
     * Extends the file with zeros to at least the given length, without reserving disk space, and maps the file for
     * reading. The mapping has no users yet.
     */
    SegmentMapping map(long length) throws IOException;

    /**
     * Allocates the file's blocks up to the given length, and maps the file for writing. New bytes read as zero. The
     * caller must close the mapping.
     *
     * @throws IOException if the disk is full. The file may then be longer than before.
     */
    MappedFile mapWritable(long length) throws IOException;

    /**
     * Returns the first position, at or after the given position, at which bytes may be non-zero. Returns a position at
     * or beyond the end of the file if there is no such position. Skips holes without reading them.
     */
    long nextData(long from) throws IOException;

    /** Shortens the file to the given length. */
    void truncate(long length) throws IOException;

    /**
     * Makes everything written so far survive a crash of the machine.
     *
     * @throws ForceException if the disk did not store the data. The data is then undefined, and retrying does not
     *     help: the kernel has already marked the pages as clean. All later calls on this object also fail.
     */
    void force() throws ForceException;
}
