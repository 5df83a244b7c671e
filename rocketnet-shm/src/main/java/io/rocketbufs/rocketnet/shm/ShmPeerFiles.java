package io.rocketbufs.rocketnet.shm;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/**
 * The memory that the peer of a connection shares with this side, by key.
 *
 * <p><b>Thread-safety:</b> any thread may use them. <b>Ownership:</b> owns the descriptors and mappings until the peer
 * withdraws them or the connection ends.
 */
final class ShmPeerFiles {
    private final int most;
    private final Map<Long, ShmPeerFile> files = new HashMap<>();
    private volatile int arrivedCount;
    private boolean closed;

    /**
     * @param most maximum number of files that this side accepts at the same time; it closes the descriptors of further
     *     files
     */
    ShmPeerFiles(int most) {
        this.most = most;
    }

    /**
     * Called when a packet from the peer has arrived.
     *
     * @param notice the packet, which may have any content
     * @param descriptor the accompanying descriptor; negative if there is none or the kernel could not pass it on
     */
    void noticed(ByteBuffer notice, int descriptor) {
        long key = ShmNotice.key(notice);
        int kind = ShmNotice.kind(notice);
        if (kind == ShmNotice.SHARED || kind == ShmNotice.WORDS) {
            add(key, kind, descriptor);
            return;
        }
        ShmSocket.closeDescriptor(descriptor);
        if (kind == ShmNotice.WITHDRAWN) {
            remove(key);
        }
    }

    @SuppressWarnings("NonAtomicOperationOnVolatileField") // written while the lock is held
    private synchronized void add(long key, int kind, int descriptor) {
        if (descriptor < 0 || closed || key <= 0 || files.size() >= most || files.containsKey(key)) {
            ShmSocket.closeDescriptor(descriptor);
            return;
        }
        ShmPeerFile file = kind == ShmNotice.WORDS ? ShmPeerFile.ofWords(descriptor) : ShmPeerFile.of(descriptor);
        if (file != null) {
            files.put(key, file);
            arrivedCount++;
        }
    }

    private synchronized void remove(long key) {
        ShmPeerFile file = files.remove(key);
        if (file != null) {
            file.end();
        }
    }

    /**
     * Returns the number of files that have arrived so far. The number may change before the next call to
     * {@link #find}.
     */
    int arrivedCount() {
        return arrivedCount;
    }

    /** Returns the file with the given key, or null if the file has not arrived or has been withdrawn. */
    synchronized ShmPeerFile find(long key) {
        return files.get(key);
    }

    /** Ends access to all files. */
    synchronized void close() {
        closed = true;
        files.values().forEach(ShmPeerFile::end);
        files.clear();
    }
}
