package io.rocketbufs.rocketlog.log;

import io.rocketbufs.memory.MappedFile;
import io.rocketbufs.rocketlog.record.RingLayout;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.List;

/**
 * The memory of one in-memory log, in the form of a folder whose files are the segments of a ring ({@link RingLayout}).
 * A new segment reuses the memory of the oldest segment. The memory is committed when the ring is created, so a lack of
 * memory causes an exception at that time instead of killing the process later.
 *
 * <p>The folder contains only segments, which are never forced, sealed or shortened.
 *
 * <p><i>Thread-safety:</i> one thread appends; any thread reads, and can detect that a segment has been reused.
 * <i>Ownership:</i> the memory is freed when this object, its segments and all views have been closed.
 */
final class MemoryRing implements LogFolder {
    private static final byte[] ZEROS = new byte[RingLayout.UNIT];

    private final String name;
    private final int segmentLength;
    private final SegmentMapping mapping;
    private final ByteBuffer words;
    private final ByteBuffer[] segments = new ByteBuffer[RingLayout.SEGMENTS];
    /** Index of the newest segment. */
    private int newest = RingLayout.SEGMENTS - 1;

    /**
     * Creates a ring without segments.
     *
     * @param name name of the partition
     * @throws IOException if the system does not have enough memory
     */
    MemoryRing(String name, int segmentLength) throws IOException {
        this.name = name;
        this.segmentLength = segmentLength;
        MappedFile memory = MappedFile.memory("rocketlog-ring", RingLayout.length(segmentLength));
        try {
            words = memory.region().window(0, RingLayout.WORDS_LENGTH);
            for (int i = 0; i < RingLayout.SEGMENTS; i++) {
                RingLayout.beginReuse(words, i);
                segments[i] = memory.region().window(RingLayout.segment(i, segmentLength), segmentLength);
            }
        } catch (RuntimeException | Error e) {
            memory.close();
            throw e;
        }
        mapping = new SegmentMapping(memory);
        mapping.addUser();
    }

    /** Releases the memory, which is freed once all segments and views are closed. No thread may append afterwards. */
    void close() {
        mapping.removeUser();
    }

    @Override
    public int mostSegments() {
        return RingLayout.SEGMENTS;
    }

    @Override
    public String path(String file) {
        return name + " (in memory)/" + file;
    }

    @Override
    public List<String> names() {
        return List.of();
    }

    @Override
    public LogFile open(String file) throws IOException {
        throw new NoSuchFileException(path(file));
    }

    /** Clears and returns the oldest segment. */
    @Override
    public LogFile createNew(String file) {
        int index = RingLayout.following(newest);
        long baseOffset = SegmentName.baseOffset(file, SegmentName.LOG);
        long used = RingLayout.end(words, index); // the bytes after it are still zero
        RingLayout.beginReuse(words, index);
        for (int i = 0; i < used; i += RingLayout.UNIT) {
            segments[index].put(i, ZEROS);
        }
        RingLayout.begin(words, index, baseOffset);
        newest = index;
        return new MemorySegment(index, baseOffset);
    }

    @Override
    public LogFile create(String file) {
        throw hasNoDisk();
    }

    @Override
    public void delete(String file) {
        throw hasNoDisk();
    }

    @Override
    public void rename(String from, String to) {
        throw hasNoDisk();
    }

    @Override
    public void remove() {
        throw hasNoDisk();
    }

    @Override
    public void force() {
        throw hasNoDisk();
    }

    private UnsupportedOperationException hasNoDisk() {
        return new UnsupportedOperationException(name + " is kept in memory and has no files");
    }

    /**
     * A segment, until its memory is reused for the next segment. It retains the memory, so that threads that hold the
     * segment may read it.
     */
    private final class MemorySegment implements LogFile {
        private final int index;
        private final long baseOffset;

        MemorySegment(int index, long baseOffset) {
            this.index = index;
            this.baseOffset = baseOffset;
            mapping.addUser();
        }

        @Override
        public long length() {
            return segmentLength;
        }

        @Override
        public int read(ByteBuffer target, long position) throws IOException {
            int length = (int) Math.min(target.remaining(), segmentLength - position);
            target.put(target.position(), segments[index], (int) position, length);
            VarHandle.acquireFence(); // the word must be read after the bytes
            if (RingLayout.baseOffset(words, index) != baseOffset) {
                throw new NoSuchFileException(
                        path(SegmentName.of(baseOffset, SegmentName.LOG)), null, "its memory has been reused");
            }
            target.position(target.position() + length);
            return length;
        }

        @Override
        public void write(ByteBuffer source, long position) {
            int length = source.remaining();
            segments[index].put((int) position, source, source.position(), length);
            source.position(source.position() + length);
        }

        @Override
        public void published(long end) {
            RingLayout.publish(words, index, end);
        }

        @Override
        public SegmentMapping map(long length) {
            return mapping;
        }

        @Override
        public MappedFile mapWritable(long length) {
            throw hasNoDisk();
        }

        @Override
        public void allocate(long length) {
            throw hasNoDisk();
        }

        @Override
        public long nextData(long from) {
            throw hasNoDisk();
        }

        @Override
        public void truncate(long length) {
            throw hasNoDisk();
        }

        @Override
        public void force() {
            throw hasNoDisk();
        }

        @Override
        public void close() {
            mapping.removeUser();
        }
    }
}
