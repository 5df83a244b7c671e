package io.rocketbufs.rocketnet.shm;

import io.rocketbufs.memory.Region;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.RemoteBuffer;
import java.util.function.LongConsumer;

/**
 * Memory that the peer has shared with this side. The memory's descriptor may arrive later than its description,
 * because the two take different paths.
 */
final class ShmRemoteBuffer extends RemoteBuffer {
    private final ShmPeerFiles files;
    /** The file; null until it has been found. */
    private volatile ShmPeerFile file;
    /**
     * Number of files that had arrived at the last lookup of this file. Because of a race, an operation may miss a file
     * that has just arrived and take the slower path.
     */
    private int seenCount;

    ShmRemoteBuffer(RemoteAccess access, long capacity, ShmPeerFiles files) {
        super(access, capacity);
        this.files = files;
    }

    @Override
    public boolean isReadable() {
        ShmPeerFile found = find();
        return found != null && found.isReadable();
    }

    @Override
    public boolean read(long offset, int length, Region into, long intoOffset) {
        ShmPeerFile found = find();
        return found != null && found.read(offset, into.address() + intoOffset, length);
    }

    @Override
    public boolean hasWords() {
        ShmPeerFile found = find();
        return found != null && found.hasWords();
    }

    @Override
    public boolean fetchAdd(long offset, long addend, LongConsumer before) {
        ShmPeerFile found = find();
        return found != null && found.fetchAdd(offset, addend, before);
    }

    @Override
    public boolean compareSwap(long offset, long expected, long desired, LongConsumer before) {
        ShmPeerFile found = find();
        return found != null && found.compareSwap(offset, expected, desired, before);
    }

    private ShmPeerFile find() {
        ShmPeerFile found = file;
        int count = files.arrivedCount();
        if (found == null && count != seenCount) {
            seenCount = count;
            found = files.find(access().key());
            if (found != null) { // otherwise, another thread may have found it in the meantime
                file = found;
            }
        }
        return found;
    }
}
