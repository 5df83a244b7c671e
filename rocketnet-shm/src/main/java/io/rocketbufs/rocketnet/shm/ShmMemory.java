package io.rocketbufs.rocketnet.shm;

import io.rocketbufs.memory.SealedMemory;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The memory through which one side of a connection receives, laid out as in {@link ShmLayout} and mapped into this
 * process.
 *
 * <p>Its descriptor is sealed: no process can change the length of the memory, so no access to the mapping can be
 * outside the file. The memory belongs to this connection alone and never comes from a buffer pool. It therefore does
 * not matter how long a peer keeps it mapped.
 *
 * <p><b>Thread-safety:</b> the sending and the receiving side of the connection may call the accessors, each on its own
 * thread. <b>Ownership:</b> owns the mapping until {@link #unmap()}. Any later access would crash the process, so the
 * owner must first stop both sides.
 */
final class ShmMemory {
    private static final VarHandle WORD = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final VarHandle INT = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());

    private static final int F_GET_SEALS = 1034;
    private static final int F_SEAL_SHRINK = 2;
    private static final int F_SEAL_WRITE = 8;
    private static final int F_SEAL_FUTURE_WRITE = 16;
    private static final int SEEK_END = 2;
    private static final int PROT_READ_WRITE = 3;
    private static final int MAP_SHARED = 0x01;
    private static final int MAP_PRIVATE = 0x02;
    private static final int MAP_FIXED = 0x10;
    private static final int MAP_ANONYMOUS = 0x20;
    private static final int MAP_NORESERVE = 0x4000;
    private static final int NO_FILE = -1;
    private static final int MREMAP_MAYMOVE = 1;
    static final long MAP_FAILED = -1;
    private static final int STATFS_LENGTH = 256;
    private static final long TMPFS_MAGIC = 0x01021994;

    private final long address;
    private final int channelLength;
    private final ByteBuffer header;
    private final ByteBuffer channel;

    private ShmMemory(long address, int channelLength) {
        this.address = address;
        this.channelLength = channelLength;
        header = ShmCalls.view(address, ShmLayout.HEADER_LENGTH);
        channel = ShmCalls.view(address + ShmLayout.HEADER_LENGTH, channelLength);
    }

    /**
     * Creates zeroed memory and returns its descriptor, which the caller must close. Allocates all pages, so that a
     * lack of memory causes an error here instead of a signal later.
     */
    static int create(int channelLength) throws IOException {
        return SealedMemory.create("rocketbufs", ShmLayout.memoryLength(channelLength));
    }

    /** Maps memory that this process has created. The caller may close the descriptor afterwards. */
    static ShmMemory map(int descriptor, int channelLength) throws ShmException {
        long length = ShmLayout.memoryLength(channelLength);
        long address = mmap(descriptor, length, PROT_READ_WRITE);
        if (address == MAP_FAILED) {
            throw ShmCalls.failure(length + " bytes cannot be mapped", ShmCalls.errno());
        }
        return new ShmMemory(address, channelLength);
    }

    /** Maps shared memory; returns its address or {@link #MAP_FAILED}. */
    static long mmap(int descriptor, long length, int protection) {
        return ShmCalls.of("mmap").call(0, length, protection, MAP_SHARED, descriptor, 0);
    }

    /**
     * Returns whether the file is sealed so that no process can shorten it. Only in-memory files can have this
     * property.
     */
    static boolean isSealedAgainstShrinking(int descriptor) {
        int seals = seals(descriptor);
        return seals >= 0 && (seals & F_SEAL_SHRINK) != 0;
    }

    private static int seals(int descriptor) {
        return (int) ShmCalls.of("fcntl").call(descriptor, F_GET_SEALS, 0);
    }

    /** Returns whether memory may consist of huge pages, which can be unavailable when they are first accessed. */
    static boolean hasHugePages(int descriptor) {
        ByteBuffer statfs = ShmCalls.block(STATFS_LENGTH);
        boolean failed = (int) ShmCalls.of("fstatfs").call(descriptor, ShmCalls.address(statfs)) != 0;
        return failed || statfs.getLong(0) != TMPFS_MAGIC;
    }

    static long length(int descriptor) {
        return ShmCalls.of("lseek").call(descriptor, 0, SEEK_END);
    }

    /**
     * Returns the reason why a peer's descriptor must not be mapped as memory with a channel of this length, or null if
     * it may be mapped. Only sealed memory of sufficient length is safe, because accesses to any other file can fail
     * after it has been mapped.
     */
    static String refusal(int descriptor, int channelLength) {
        if (descriptor < 0) {
            return "exactly one descriptor must accompany the greeting";
        }
        if (!isSealedAgainstShrinking(descriptor)) {
            return "the memory is not sealed against shrinking";
        }
        if ((seals(descriptor) & (F_SEAL_WRITE | F_SEAL_FUTURE_WRITE)) != 0) {
            return "the memory is sealed against writing";
        }
        long length = length(descriptor);
        long expected = ShmLayout.memoryLength(channelLength);
        if (length != expected) {
            return "the memory has the wrong length: length=" + length + ", expected=" + expected;
        }
        return hasHugePages(descriptor) ? "the memory consists of huge pages" : null;
    }

    /** Returns the channel, which stores the records. */
    ByteBuffer channel() {
        return channel;
    }

    int channelLength() {
        return channelLength;
    }

    /** Returns a position that the other side writes, with acquire semantics. */
    long position(int field) {
        return (long) LONG.getAcquire(header, field);
    }

    /** Publishes a position after all earlier writes by this side. */
    void publish(int field, long position) {
        LONG.setRelease(header, field, position);
    }

    /** Stores a number in a word lent by the other side, after all earlier writes by this side. */
    void storeWord(int place, long value) {
        WORD.setRelease(header, place, value);
    }

    /** Maps the header a second time; returns the address, which the caller must unmap. */
    long mapHeader() throws ShmException {
        // With an old length of 0, mremap adds a mapping of the same pages.
        ShmCalls mremap = ShmCalls.of("mremap");
        long mapped = mremap.call(address, 0, ShmLayout.HEADER_LENGTH, MREMAP_MAYMOVE);
        if (mapped == MAP_FAILED) {
            throw mremap.failure(ShmCalls.errno());
        }
        return mapped;
    }

    boolean isFlagSet(int field) {
        return (int) INT.getAcquire(header, field) != 0;
    }

    void setFlag(int field, boolean value) {
        INT.setRelease(header, field, value ? 1 : 0);
    }

    /**
     * Announces that this side sleeps or waits. The caller must then check the other side's position once more. The
     * full fence between these two steps and the fence in {@link #takeAnnouncement} guarantee that at least one side
     * sees the other's store: either the position or the announcement.
     */
    void announce(int field) {
        INT.setOpaque(header, field, 1);
        VarHandle.fullFence();
    }

    /** Returns whether the other side has announced that it sleeps or waits. Clears the announcement. */
    boolean takeAnnouncement(int field) {
        VarHandle.fullFence();
        if ((int) INT.getOpaque(header, field) == 0) {
            return false;
        }
        INT.setOpaque(header, field, 0);
        return true;
    }

    /**
     * Replaces the memory with private pages of this process, which the peer cannot see. The addresses remain
     * accessible and stay in use until the process exits. Pages to which no thread writes need no memory.
     */
    void replace() throws ShmException {
        replace(address, ShmLayout.memoryLength(channelLength));
    }

    /** Replaces mapped pages with private pages of this process. */
    static void replace(long address, long length) throws ShmException {
        ShmCalls mmap = ShmCalls.of("mmap");
        int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
        if (mmap.call(address, length, PROT_READ_WRITE, flags, NO_FILE, 0) == MAP_FAILED) {
            throw mmap.failure(ShmCalls.errno());
        }
    }

    void unmap() {
        munmap(address, ShmLayout.memoryLength(channelLength));
    }

    static void munmap(long address, long length) {
        ShmCalls.of("munmap").call(address, length);
    }
}
