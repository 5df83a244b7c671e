package io.rocketbufs.out;

/**
 * The difference between the two positions of a subscription: log bytes that were left out of the stream, and where.
 *
 * <p>The peer reports what it has consumed of the stream. What was left out counts as consumed once everything sent
 * before it is. One place is remembered: where several follow each other, all wait for the last.
 *
 * <p><b>Thread-safety:</b> changed under the connection's token; any thread reads.
 */
final class LeftOut {
    private volatile Place place = new Place(0, 0, 0);

    /** Up to the stream position {@code at}, {@code before} bytes are left out; from there on {@code total}. */
    private record Place(long before, long at, long total) {}

    /** Notes the sum; returns true when it has changed. */
    boolean set(long total, Credit credit) {
        Place last = place;
        if (total == last.total) {
            return false;
        }
        long before = credit.consumedPosition() >= last.at ? last.total : last.before;
        place = new Place(before, credit.sentPosition(), total);
        return true;
    }

    /** The log position up to which the peer has consumed, from what it has consumed of the stream. */
    long consumed(long consumedPosition) {
        Place last = place;
        return consumedPosition + (consumedPosition >= last.at ? last.total : last.before);
    }
}
