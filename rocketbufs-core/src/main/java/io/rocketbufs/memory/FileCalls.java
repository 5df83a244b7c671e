package io.rocketbufs.memory;

import java.io.IOException;
import java.nio.charset.Charset;

/**
 * The file functions of the C library for which Java has no equivalent, with one method for each use. A path or name
 * argument is used only in messages, unless stated otherwise.
 *
 * <p><i>Thread-safety:</i> any thread.
 */
final class FileCalls {
    private static final int O_RDONLY = 0;
    private static final int O_RDWR = 2;
    private static final int O_CREAT = 0100;
    private static final int O_EXCL = 0200;
    /** Prevents the opening of a pipe from waiting for the other end; has no effect on files. */
    private static final int O_NONBLOCK = 04000;

    private static final int O_CLOEXEC = 02000000;
    private static final int MODE = 0666; // reduced by the process's umask
    private static final int MFD_CLOEXEC = 1;
    private static final int MFD_ALLOW_SEALING = 2;
    /** Makes the memory non-executable. Available since Linux 6.3; required by hardened systems (vm.memfd_noexec). */
    private static final int MFD_NOEXEC_SEAL = 8;

    private static final int F_ADD_SEALS = 1033;
    private static final int F_SEAL_SEAL = 1;
    private static final int F_SEAL_SHRINK = 2;
    private static final int F_SEAL_GROW = 4;
    /** Available since Linux 5.1. */
    private static final int F_SEAL_FUTURE_WRITE = 16;

    private static final int FALLOC_FL_KEEP_SIZE = 1;
    private static final int FALLOC_FL_PUNCH_HOLE = 2;
    private static final int SEEK_END = 2;
    private static final int SEEK_DATA = 3;
    private static final int EINTR = 4;
    private static final int ENXIO = 6;
    private static final int EINVAL = 22;
    private static final int ENOSYS = 38;
    private static final int EOPNOTSUPP = 95;

    private final CLibrary library;
    private final long open;
    private final long memfdCreate;
    private final long fcntl;
    private final long lseek;
    private final long posixFallocate;
    private final long fallocate;
    private final long ftruncate;
    private final long fdatasync;
    private final long close;

    /** Looks up the functions. */
    FileCalls(CLibrary library) {
        this.library = library;
        this.open = library.function("open");
        this.memfdCreate = library.function("memfd_create");
        this.fcntl = library.function("fcntl");
        this.lseek = library.function("lseek");
        this.posixFallocate = library.function("posix_fallocate");
        this.fallocate = library.function("fallocate");
        this.ftruncate = library.function("ftruncate");
        this.fdatasync = library.function("fdatasync");
        this.close = library.function("close");
    }

    /** Creates and opens a file, which must not exist. Returns its descriptor. */
    int create(String path) throws IOException {
        return open(path, O_RDWR | O_CREAT | O_EXCL, "cannot be created");
    }

    /** Opens an existing file. Returns its descriptor. */
    int open(String path, boolean writable) throws IOException {
        return open(path, writable ? O_RDWR : O_RDONLY, "cannot be opened");
    }

    private int open(String path, int flags, String failure) throws IOException {
        long result = library.call(open, inSystemCharset(path), flags | O_CLOEXEC | O_NONBLOCK, MODE);
        return (int) checked(result, path, failure);
    }

    /** Creates a file that exists only in memory. The name appears in {@code /proc}. Returns its descriptor. */
    int memory(String name) throws IOException {
        int flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
        byte[] bytes = inSystemCharset(name);
        long result = library.call(memfdCreate, bytes, flags | MFD_NOEXEC_SEAL, 0);
        if ((int) result < 0 && library.errno() == EINVAL) {
            result = library.call(memfdCreate, bytes, flags, 0); // needed before Linux 6.3
        }
        return (int) checked(result, name, "cannot be created in memory");
    }

    /** Fixes the length of a file in memory for every process that has its descriptor. */
    void sealLength(int descriptor, String name) throws IOException {
        checked(addSeals(descriptor, F_SEAL_SHRINK | F_SEAL_GROW), name, "cannot be sealed");
    }

    /** Forbids further seals, so that no process can restrict the other processes. */
    void sealSeals(int descriptor, String name) throws IOException {
        checked(addSeals(descriptor, F_SEAL_SEAL), name, "cannot be sealed");
    }

    /**
     * Prevents all processes from writing to a file in memory except through existing mappings, and forbids further
     * seals. Returns false if the system does not support this seal.
     */
    boolean sealWrites(int descriptor) {
        return addSeals(descriptor, F_SEAL_FUTURE_WRITE | F_SEAL_SEAL) == 0;
    }

    private int addSeals(int descriptor, int seals) {
        return (int) library.call(fcntl, descriptor, F_ADD_SEALS, seals);
    }

    /** Returns the length in bytes. */
    long length(int descriptor, String path) throws IOException {
        return checked64(library.call(lseek, descriptor, 0, SEEK_END), path, "has no length");
    }

    /**
     * Returns the first position at or after the given one that is not in a hole. Returns {@link Long#MAX_VALUE} if a
     * hole extends to the end, or the given position if the system cannot find holes.
     */
    long nextData(int descriptor, long from) {
        long result = library.call(lseek, descriptor, from, SEEK_DATA);
        if (result >= 0) {
            return result;
        }
        return library.errno() == ENXIO ? Long.MAX_VALUE : from;
    }

    /**
     * Allocates the blocks of the first {@code length} bytes, and lengthens the file if it is shorter. If the file
     * system does not support this, the C library writes to each block instead. In that case, no other thread may write
     * to the file during the call.
     */
    void allocate(int descriptor, long length, String path) throws IOException {
        int error;
        do {
            error = (int) library.call(posixFallocate, descriptor, 0, length);
        } while (error == EINTR);
        if (error != 0) {
            throw failed(error, path, length + " bytes cannot be allocated");
        }
    }

    /** Allocates blocks like {@link #allocate}, but does nothing if the file system does not support this. */
    void reserve(int descriptor, long length, String path) throws IOException {
        int result;
        do {
            result = (int) library.call(fallocate, descriptor, 0, 0, length);
        } while (result != 0 && library.errno() == EINTR);
        if (result != 0 && library.errno() != EOPNOTSUPP && library.errno() != ENOSYS) {
            throw failed(library.errno(), path, length + " bytes cannot be allocated");
        }
    }

    /**
     * Frees the whole pages among the first {@code length} bytes of a file in memory. They then read as zeros in every
     * process. Does nothing if the system refuses, in which case the pages are freed with the file.
     */
    void free(int descriptor, long length) {
        library.call(fallocate, descriptor, FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE, 0, length);
    }

    void truncate(int descriptor, long length, String path) throws IOException {
        int result;
        do {
            result = (int) library.call(ftruncate, descriptor, length);
        } while (result != 0 && library.errno() == EINTR);
        checked(result, path, "cannot be truncated to " + length + " bytes");
    }

    /** Writes changed bytes to the device, and waits until the device has stored them. */
    void force(int descriptor, String path) throws IOException {
        int result;
        do {
            result = (int) library.call(fdatasync, descriptor);
        } while (result != 0 && library.errno() == EINTR);
        checked(result, path, "cannot be written to its device");
    }

    void close(int descriptor) {
        library.call(close, descriptor);
    }

    private long checked(long result, String path, String failure) throws IOException {
        return checked64((int) result, path, failure);
    }

    private long checked64(long result, String path, String failure) throws IOException {
        if (result < 0) {
            throw failed(library.errno(), path, failure);
        }
        return result;
    }

    private IOException failed(int errno, String path, String failure) {
        return new CallException(path, failure + ": " + library.text(errno), errno);
    }

    private static byte[] inSystemCharset(String path) {
        String charset = System.getProperty("sun.jnu.encoding");
        return path.getBytes(charset == null ? Charset.defaultCharset() : Charset.forName(charset));
    }
}
