package io.rocketbufs.out;

/**
 * The difference between the two positions of a subscription: the log bytes that were left out of the stream, and where
 * they were left out.
 *
 * <p>The peer reports its consumed position in the stream. Left-out data counts as consumed once all data sent before
 * it is consumed. Only one place is stored: if several gaps are pending, all of them count as consumed only when the
 * last one does.
 *
 * <p><b>Thread-safety:</b> changed under the connection's token; any thread reads.
 */
final class LeftOut {
    private volatile Place place = new Place(0, 0, 0);

    /** Before the stream position {@code at}, {@code before} bytes are left out; from it on, {@code total}. */
    private record Place(long before, long at, long total) {}

    /** Sets the total; returns true when it has changed. */
    boolean set(long total, Credit credit) {
        Place last = place;
        if (total == last.total) {
            return false;
        }
        long before = credit.consumedPosition() >= last.at ? last.total : last.before;
        place = new Place(before, credit.sentPosition(), total);
        return true;
    }

    /** Returns the log position up to which the peer has consumed, given its consumed position in the stream. */
    long consumed(long consumedPosition) {
        Place last = place;
        return consumedPosition + (consumedPosition >= last.at ? last.total : last.before);
    }
}
