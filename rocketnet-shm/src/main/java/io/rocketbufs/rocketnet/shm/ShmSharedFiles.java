package io.rocketbufs.rocketnet.shm;

import io.rocketbufs.memory.Region;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.Right;
import java.util.Set;

/**
 * The memory that this side of a connection shares with the peer. The peer tracks it in {@link ShmPeerFiles}. This
 * object keeps no descriptors.
 *
 * <p><b>Thread-safety:</b> any thread may use it.
 */
final class ShmSharedFiles {
    private static final int NO_DESCRIPTOR = -1;
    private static final long RETRY_MS = 20;

    private final ShmSocket socket;
    private final ShmWorker worker;
    private final int most;
    private long lastKey;
    private int count;
    private boolean closed;

    /**
     * @param most maximum number of descriptors that the peer may hold, that is, that it has received and has not been
     *     told to close
     */
    ShmSharedFiles(ShmSocket socket, ShmWorker worker, int most) {
        this.socket = socket;
        this.worker = worker;
        this.most = most;
    }

    /**
     * Sends the peer a descriptor for reading a region or for changing its words. Returns NONE if the region is neither
     * a whole file nor memory for words. Also returns NONE if the limit has been reached, or if the kernel refuses to
     * pass the descriptor, for example because the peer does not read its packets.
     */
    RemoteAccess share(Region region, Set<Right> rights) {
        if (most == 0 || rights.contains(Right.WRITE)) {
            return RemoteAccess.NONE;
        }
        boolean areWords = rights.contains(Right.ATOMIC);
        // The lock is not held here, because opening may wait for a disk and the worker also needs the lock.
        int descriptor = areWords ? region.openWords() : region.openFile();
        try {
            return descriptor < 0
                    ? RemoteAccess.NONE
                    : share(areWords ? ShmNotice.WORDS : ShmNotice.SHARED, descriptor);
        } catch (ShmException e) {
            return RemoteAccess.NONE;
        } finally {
            ShmSocket.closeDescriptor(descriptor);
        }
    }

    private synchronized RemoteAccess share(int kind, int descriptor) throws ShmException {
        if (closed || count >= most) {
            return RemoteAccess.NONE;
        }
        socket.send(ShmNotice.of(kind, lastKey + 1), descriptor);
        count++;
        return new RemoteAccess(0, ++lastKey);
    }

    /** Tells the peer to close its descriptor. */
    synchronized void withdraw(long key) {
        if (closed) {
            return;
        }
        try {
            socket.send(ShmNotice.of(ShmNotice.WITHDRAWN, key), NO_DESCRIPTOR);
            count--;
        } catch (ShmException e) {
            // The peer is not reading its packets, or it has disconnected and this object is about to be closed.
            worker.schedule(() -> withdraw(key), RETRY_MS);
        }
    }

    /** Stops using the socket, which is closed next. The peer closes all descriptors when the connection ends. */
    synchronized void close() {
        closed = true;
    }
}
