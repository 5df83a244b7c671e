package io.rocketbufs.rocketlog.cli;

/**
 * The numbers of faulty records.
 *
 * @param lost records that were sent but did not arrive
 * @param duplicated records that arrived more than once
 * @param reordered records that arrived after a later one
 * @param corrupted records whose bytes differ from those that were sent
 */
record DemoFaults(long lost, long duplicated, long reordered, long corrupted) {
    static final DemoFaults NONE = new DemoFaults(0, 0, 0, 0);

    /** Returns the sums of these numbers and the given ones. */
    DemoFaults plus(DemoFaults others) {
        return new DemoFaults(
                lost + others.lost,
                duplicated + others.duplicated,
                reordered + others.reordered,
                corrupted + others.corrupted);
    }
}
