package io.rocketbufs.rocketlog.log;

import io.rocketbufs.memory.MappedFile;
import io.rocketbufs.memory.Region;

/**
 * A segment's file as memory, shared by all views. The mapping ends when the file is shortened. Existing views then
 * continue to show the same bytes, but no new bytes.
 *
 * <p><i>Thread-safety:</i> any thread. <i>Ownership:</i> closes the mapped file when the last user is removed.
 */
final class SegmentMapping {
    /** Returned by {@link #end} while the mapping grows with its segment. */
    static final long GROWS = -1;

    private final MappedFile file;
    private int users;
    private volatile long end = GROWS;

    SegmentMapping(MappedFile file) {
        this.file = file;
    }

    synchronized void addUser() {
        users++;
    }

    /** Removes a user. If this was the last user, closes the file and returns true. */
    synchronized boolean removeUser() {
        users--;
        if (users == 0) {
            file.close();
        }
        return users == 0;
    }

    /**
     * Ends the mapping, so that the file can be shortened. Peers may read beyond the end at any time, and accessing a
     * page beyond the end of the file would crash the process. This method therefore first replaces the pages after the
     * given position.
     */
    synchronized void endAt(long position) {
        end = position;
        file.detachAfter(position);
    }

    /** Returns the position at which the mapping has ended, or {@link #GROWS}. */
    long end() {
        return end;
    }

    Region region() {
        return file.region();
    }
}
