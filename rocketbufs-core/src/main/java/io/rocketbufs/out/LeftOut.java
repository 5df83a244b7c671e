package io.rocketbufs.out;

/**
 * The data that one subscription has skipped. States how many bytes are in the buffer's log but not in the stream to
 * the peer, and where in the stream they are missing.
 *
 * <p>The peer reports its consumed position in the stream. Skipped data counts as consumed once everything sent ahead
 * of it has been consumed. Only one place is stored: if several gaps are pending, all of them count as consumed only
 * when the last one does.
 *
 * <p><b>Thread-safety:</b> changed under the connection's token; any thread may read.
 */
final class LeftOut {
    private volatile Place place = new Place(0, 0, 0);

    /**
     * The number of skipped bytes: {@code before} at stream positions below {@code at}, {@code total} at all others.
     */
    private record Place(long before, long at, long total) {}

    /** Sets the total; returns true if it has changed. */
    boolean set(long total, Credit credit) {
        Place last = place;
        if (total == last.total) {
            return false;
        }
        long before = credit.consumedPosition() >= last.at ? last.total : last.before;
        place = new Place(before, credit.sentPosition(), total);
        return true;
    }

    /** Returns the position in the stream at which the peer has consumed everything before a log position. */
    long streamPosition(long logPosition) {
        Place last = place;
        long past = logPosition - last.total;
        return past >= last.at ? past : Math.min(logPosition - last.before, last.at);
    }

    /** Returns the log position up to which the peer has consumed data, given its consumed position in the stream. */
    long consumed(long consumedPosition) {
        Place last = place;
        return consumedPosition + (consumedPosition >= last.at ? last.total : last.before);
    }
}
