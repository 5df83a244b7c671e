package io.rocketbufs.rocketlog.log;

import io.rocketbufs.memory.MappedFile;
import io.rocketbufs.rocketlog.record.RecordBatchLayout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One segment of a log: a file with consecutive batches, and its index.
 *
 * <pre>
 *   head ------------> rolled ------------> sealed ------------> deleted
 *     |  the next        |  truncated to      |  by retention,
 *     |  head exists     |  its end, forced,  |  when no reader
 *     |                  |  seal written      |  holds it
 *     +--&lt;--- opened again, seal deleted -----+
 * </pre>
 *
 * <p><i>Thread-safety:</i> one thread appends, and the maintenance thread forces and seals. Any thread that holds the
 * segment may read up to {@link #end}. <i>Ownership:</i> the log and each reader hold the segment; the last holder to
 * release it closes the file.
 */
final class Segment {
    private final LogFolder folder;
    private final LogFile file;
    private final long baseOffset;
    private final AtomicInteger holders = new AtomicInteger(1);
    private volatile SegmentIndex index;
    /** Null until the segment is sealed. */
    private volatile Seal seal;
    /** Position after the last batch. The appending thread sets it after writing the batch and its index entry. */
    private volatile long end;

    private volatile long nextOffset;
    private volatile long allocated;
    /** Minimum length of the file, unless another program truncates it. Guarded by this object's lock. */
    private long length;

    /** Set when the file is found to be shorter than expected; otherwise null. */
    private volatile TruncatedException truncation;
    /**
     * The mapping shared by all views of the segment; null if there are no views, or the mapping has ended. Guarded by
     * this object's lock.
     */
    private SegmentMapping mapping;

    /** Number of uses of mappings, including ended mappings. Guarded by this object's lock. */
    private int useCount;

    /** The file as memory that a peer can write to; null unless the segment is lent. Guarded by this object's lock. */
    private MappedFile lent;

    /** True once the file must no longer grow. Guarded by this object's lock. */
    private boolean isComplete;

    Segment(LogFolder folder, LogFile file, long baseOffset, SegmentIndex index) {
        this.folder = folder;
        this.file = file;
        this.baseOffset = baseOffset;
        this.index = index;
        this.nextOffset = baseOffset;
    }

    /** Returns a sealed segment. Its index is read when it is first used. */
    static Segment sealed(LogFolder folder, LogFile file, Seal seal) {
        Segment segment = new Segment(folder, file, seal.baseOffset(), null);
        segment.seal = seal.withoutProducers();
        segment.end = seal.length();
        segment.nextOffset = seal.nextOffset();
        segment.isComplete = true;
        return segment;
    }

    long baseOffset() {
        return baseOffset;
    }

    long nextOffset() {
        return nextOffset;
    }

    /** Returns the position after the last batch, up to which any thread may read. */
    long end() {
        return end;
    }

    LogFile file() {
        return file;
    }

    boolean isSealed() {
        return seal != null;
    }

    String path() {
        return folder.path(SegmentName.of(baseOffset, SegmentName.LOG));
    }

    /** Returns the largest timestamp in milliseconds, or -1 if the segment is empty. */
    long largestTimestamp() {
        Seal current = seal;
        return current != null ? current.largestTimestamp() : index.largestTimestamp();
    }

    /**
     * Acquires the segment, so that its file stays open until {@link #release}.
     *
     * @return false if the segment has already been closed
     */
    boolean acquire() {
        int current = holders.get();
        while (current > 0) {
            if (holders.compareAndSet(current, current + 1)) {
                return true;
            }
            current = holders.get();
        }
        return false;
    }

    /** Releases the segment. The last release closes the file. */
    void release() throws IOException {
        if (holders.decrementAndGet() == 0) {
            file.close();
        }
    }

    /**
     * Appends a batch, whose offset has been assigned, to the file. Readers do not see the batch until it is
     * {@linkplain #publish published}.
     *
     * @throws IOException if not all bytes were written. Some of the bytes may then be in the file, beyond the end
     */
    void write(ByteBuffer batch) throws IOException {
        long position = end;
        int start = batch.position();
        while (batch.hasRemaining()) {
            file.write(batch, position + batch.position() - start);
        }
    }

    /** Makes the batch that has been written after the end visible to readers. */
    void publish(ByteBuffer buffer, int batch, int length) {
        long lastOffset = RecordBatchLayout.lastOffset(buffer, batch);
        index.add(
                (int) (lastOffset - baseOffset), (int) end, length, RecordBatchLayout.largestTimestamp(buffer, batch));
        nextOffset = lastOffset + 1;
        end = end + length;
        file.published(end);
    }

    /**
     * Rewrites all batches unchanged. After a failed force, the kernel considers pages to be clean although they are
     * not on the disk, so another force would not write them.
     *
     * @param window receives the bytes
     */
    void rewrite(ByteBuffer window, RecoveryProgress progress) throws IOException {
        for (long position = 0; position < end; position += window.limit()) {
            window.clear().limit((int) Math.min(window.capacity(), end - position));
            if (file.read(window, position) == 0) {
                throw LogException.damaged(path(), "it became shorter while it was being opened");
            }
            window.flip();
            while (window.hasRemaining()) {
                file.write(window, position + window.position());
            }
            progress.rewrite(0, window.limit());
        }
    }

    /**
     * Maps the file for a view, up to the maximum length that the file can reach. The caller must release the mapping
     * with {@link #unmap(SegmentMapping)}.
     *
     * @param longest length of the longest segment
     * @throws TruncatedException if another program was found to have truncated the file, even if the file has grown
     *     since
     */
    synchronized SegmentMapping map(int longest) throws IOException {
        requireWhole();
        if (mapping == null) {
            mapping = file.map(isComplete ? 0 : longest);
            length = Math.max(length, isComplete ? 0 : longest);
        }
        mapping.addUser();
        useCount++;
        return mapping;
    }

    /** Releases one use of a mapping. Grants hold their own leases on the memory. */
    synchronized void unmap(SegmentMapping used) {
        useCount--;
        if (used.removeUser() && mapping == used) {
            mapping = null;
        }
    }

    /**
     * Maps the file for a peer that writes batches after the end. The caller must release the memory with
     * {@link #unmap(MappedFile)}.
     *
     * @param longest length of the longest segment, to which the file's blocks are allocated
     */
    MappedFile lend(int longest) throws IOException {
        requireWhole();
        MappedFile writable;
        try {
            writable = file.mapWritable(longest);
        } catch (IOException | RuntimeException e) {
            cutToEnd(); // frees the blocks that were allocated before the disk was full
            throw e;
        }
        synchronized (this) {
            allocated = longest;
            length = longest;
            lent = writable;
        }
        return writable;
    }

    /** Releases lent memory. No peer may still have access to it. */
    void unmap(MappedFile writable) {
        synchronized (this) {
            if (lent == writable) {
                lent = null;
            }
        }
        writable.close();
    }

    /**
     * Throws an exception if another program has truncated the file. In a truncated file, later batches would follow a
     * hole, and accessing memory that the file no longer contains could crash this process. A truncation goes unnoticed
     * if later batches have restored the file's previous length. This cannot happen while the file is used as memory,
     * because the file is then longer than its batches.
     */
    synchronized void requireWhole() throws IOException {
        long expected = Math.max(end, length); // read before the file's length, because the end increases
        long found = file.length();
        if (truncation == null && found < expected) {
            truncation = new TruncatedException(found, expected);
        }
        if (truncation != null) {
            throw truncation;
        }
    }

    /** Calls {@link #requireWhole} if peers can access the file as memory, or the truncation is already known. */
    synchronized void requireWholeIfMapped() throws IOException {
        if (truncation != null || useCount > 0 || lent != null) {
            requireWhole();
        }
    }

    /** Returns true if another program is known to have truncated the file. */
    boolean isTruncated() {
        return truncation != null;
    }

    /** Removes the bytes after the end, and ensures that they do not reappear after a crash. Ends the mapping. */
    void cutToEnd() throws IOException {
        cutToEnd(false);
    }

    /** @param completes whether the file must not grow afterwards */
    private void cutToEnd(boolean completes) throws IOException {
        synchronized (this) {
            isComplete |= completes;
            shorten();
        }
        file.force();
    }

    /** Removes the bytes after the end, which may reappear after a crash of the machine. Ends the mapping. */
    synchronized void shorten() throws IOException {
        requireWhole();
        if (mapping != null) {
            mapping.endAt(end);
            mapping = null;
        }
        if (lent != null) {
            lent.detachAfter(end);
        }
        file.truncate(end);
        allocated = end;
        length = end;
    }

    /** Reserves disk space ahead of the end if less than half a step remains reserved. */
    void allocate(int step, int longest) throws IOException {
        if (step > 0 && allocated < longest && allocated - end < step / 2) {
            reserve(Math.min(end + step, longest));
        }
    }

    private synchronized void reserve(long target) throws IOException {
        requireWhole();
        file.allocate(target);
        allocated = target;
        length = Math.max(length, target);
    }

    /**
     * Completes the segment: truncates its file, and writes its indexes and, finally, its seal. No batch may be
     * appended afterwards. Can be called again if it fails.
     *
     * <p>A crash never leaves a seal without its segment, even though this method forces the segment's name only after
     * the seal. The segment was created before its predecessor was sealed, which forced all names.
     */
    void seal(ProducerStates producers) throws IOException {
        cutToEnd(true);
        SegmentIndex complete = index;
        complete.finish();
        ByteBuffer offsets = complete.toIndex();
        ByteBuffer times = complete.toTimeIndex();
        writeWhole(SegmentName.INDEX, offsets);
        writeWhole(SegmentName.TIME_INDEX, times);
        Seal written = new Seal(
                baseOffset,
                nextOffset,
                end,
                complete.largestTimestamp(),
                Seal.crc(offsets, offsets.limit()),
                Seal.crc(times, times.limit()),
                producers);
        writeWhole(SegmentName.SEAL, written.toFile());
        folder.force();
        seal = written.withoutProducers();
    }

    /**
     * Writes a small file under a temporary name, forces it, and renames it, so that the file is either complete or
     * absent.
     */
    private void writeWhole(String suffix, ByteBuffer content) throws IOException {
        String name = SegmentName.of(baseOffset, suffix);
        try (LogFile small = folder.create(name + SegmentName.UNFINISHED)) {
            content.rewind();
            while (content.hasRemaining()) {
                small.write(content, content.position());
            }
            small.force();
        }
        folder.rename(name + SegmentName.UNFINISHED, name);
    }

    /** Makes a sealed segment the head again. */
    void unseal(int indexInterval) throws IOException {
        SegmentIndex complete = index(indexInterval);
        folder.delete(SegmentName.of(baseOffset, SegmentName.SEAL));
        folder.force();
        index = complete;
        seal = null;
        allocated = end;
        synchronized (this) {
            isComplete = false;
        }
    }

    /**
     * Returns the index. For a sealed segment, reads the index from its files. If the files do not match the seal,
     * rebuilds the index by scanning the segment.
     */
    SegmentIndex index(int interval) throws IOException {
        SegmentIndex current = index;
        if (current == null) {
            current = IndexFiles.read(folder, seal, interval);
            if (current == null) {
                current = scanned(interval);
            }
            index = current;
        }
        return current;
    }

    private SegmentIndex scanned(int interval) throws IOException {
        SegmentIndex built = new SegmentIndex(interval);
        SegmentScan scan = new SegmentScan(file, 0, end, baseOffset);
        while (scan.next()) {
            long lastOffset = RecordBatchLayout.lastOffset(scan.buffer(), scan.batch());
            long timestamp = RecordBatchLayout.largestTimestamp(scan.buffer(), scan.batch());
            built.add((int) (lastOffset - baseOffset), (int) scan.position(), scan.batchLength(), timestamp);
        }
        if (scan.problem() != null) {
            throw LogException.damaged(path(), "at position " + scan.position() + ": " + scan.problem());
        }
        built.finish();
        return built;
    }

    /**
     * Deletes the files, starting with the {@code .log} file, so that a crash leaves either the whole segment or only
     * files that recovery deletes. Can be called again if it fails.
     */
    void delete() throws IOException {
        folder.delete(SegmentName.of(baseOffset, SegmentName.LOG));
        folder.force();
        for (String suffix : new String[] {SegmentName.SEAL, SegmentName.INDEX, SegmentName.TIME_INDEX}) {
            folder.delete(SegmentName.of(baseOffset, suffix));
        }
    }
}
