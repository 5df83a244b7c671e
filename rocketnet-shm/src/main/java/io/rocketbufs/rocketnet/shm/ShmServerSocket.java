package io.rocketbufs.rocketnet.shm;

import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listening socket of a port, and the lock with which its process owns the port.
 *
 * <p>A socket's file outlives its process. The lock does not: the kernel releases it regardless of how the process
 * ends. Therefore, the owner of the lock may replace any socket that it finds, and no running listener can lose its
 * file. The owner removes the lock file while it holds the lock. A process that opened the lock file earlier then locks
 * a file without a name; it detects this and opens the new file.
 *
 * <p><b>Ownership:</b> owns both descriptors and the socket's file.
 */
final class ShmServerSocket {
    private static final int O_RDWR = 2;
    private static final int O_CREAT = 0x40;
    private static final int O_CLOEXEC = 0x80000;
    /** The value of the flag on x86-64. On AArch64, the flag with this value only permits large files. */
    private static final int O_NOFOLLOW = 0x20000;

    private static final int OWNER_ONLY = 0600;
    private static final int LOCK_EXCLUSIVE_NOW = 2 | 4;
    private static final int FILE_TYPE = 0170000;
    private static final int SOCKET_TYPE = 0140000;

    private static final Logger LOGGER = LoggerFactory.getLogger(ShmServerSocket.class);

    private final int lock;
    private final ShmSocket socket;
    private final Path path;
    private final Path lockPath;
    private final int port;

    private ShmServerSocket(int lock, ShmSocket socket, Path path, Path lockPath, int port) {
        this.lock = lock;
        this.socket = socket;
        this.path = path;
        this.lockPath = lockPath;
        this.port = port;
    }

    /**
     * Listens on a port.
     *
     * @return null if another listener owns the port
     */
    static ShmServerSocket open(ShmDirectory directory, int port, int backlog) throws IOException {
        Path lockPath = directory.lock(port);
        int lock = lock(lockPath);
        if (lock < 0) {
            return null;
        }
        Path path = directory.socket(port);
        ShmSocket socket = null;
        boolean bound = false;
        try {
            removeStale(path);
            socket = ShmSocket.open();
            socket.bind(path.toString());
            bound = true;
            directory.protect(path);
            socket.listen(backlog);
            return new ShmServerSocket(lock, socket, path, lockPath, port);
        } catch (IOException | RuntimeException | Error e) {
            if (bound) {
                remove(path);
            }
            if (socket != null) {
                socket.close();
            }
            remove(lockPath);
            ShmSocket.closeDescriptor(lock);
            throw e;
        }
    }

    /** Returns a descriptor that holds the lock, or -1 if another listener holds the lock. */
    private static int lock(Path path) throws IOException {
        while (true) {
            int descriptor = tryLock(path);
            boolean usable = false;
            try {
                usable = descriptor < 0 || isNamed(descriptor, path);
                if (usable) {
                    return descriptor;
                }
            } finally {
                if (!usable) {
                    ShmSocket.closeDescriptor(descriptor);
                }
            }
        }
    }

    /**
     * Returns whether a descriptor's file still has its name. It does not if the file has been removed since it was
     * opened.
     */
    private static boolean isNamed(int descriptor, Path path) throws IOException {
        try {
            return Files.isSameFile(Path.of("/proc/self/fd", Integer.toString(descriptor)), path);
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    private static int tryLock(Path path) throws ShmException {
        ByteBuffer name = ShmCalls.string(path.toString());
        ShmCalls open = ShmCalls.of("open");
        int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW;
        int descriptor = open.check(open.call(ShmCalls.address(name), flags, OWNER_ONLY));
        Reference.reachabilityFence(name);
        ShmCalls flock = ShmCalls.of("flock");
        if ((int) flock.call(descriptor, LOCK_EXCLUSIVE_NOW) == 0) {
            return descriptor;
        }
        int errno = ShmCalls.errno();
        ShmSocket.closeDescriptor(descriptor);
        if (errno == ShmCalls.EAGAIN) {
            return -1;
        }
        throw flock.failure(errno);
    }

    private static void removeStale(Path path) throws IOException {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        int mode = (int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
        if ((mode & FILE_TYPE) != SOCKET_TYPE) {
            throw new IOException(path + " exists and is not a socket; remove it, or use another port");
        }
        Files.delete(path);
    }

    ShmSocket socket() {
        return socket;
    }

    int port() {
        return port;
    }

    /** Removes the files and closes the descriptors. Releases the lock last. */
    void close() {
        if (ownsFiles()) {
            remove(path);
            remove(lockPath);
        }
        socket.close();
        ShmSocket.closeDescriptor(lock);
    }

    /**
     * Returns whether this object still owns the files. It does not if another program has removed the lock file,
     * because the port may then belong to another listener.
     */
    private boolean ownsFiles() {
        try {
            return isNamed(lock, lockPath);
        } catch (IOException e) {
            LOGGER.debug("Cannot read {}", lockPath, e);
            return false;
        }
    }

    private static void remove(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOGGER.debug("{} remains until the next listener on this port replaces it", file, e);
        }
    }
}
