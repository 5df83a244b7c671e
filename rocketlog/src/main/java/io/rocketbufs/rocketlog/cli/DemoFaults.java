package io.rocketbufs.rocketlog.cli;

/**
 * The numbers of faulty records.
 *
 * @param lost that were sent, and have not arrived
 * @param duplicated that have arrived more than once
 * @param reordered that have arrived after a later one
 * @param corrupted whose bytes differ from those that were sent
 */
record DemoFaults(long lost, long duplicated, long reordered, long corrupted) {
    static final DemoFaults NONE = new DemoFaults(0, 0, 0, 0);

    /** Returns the sums. */
    DemoFaults plus(DemoFaults others) {
        return new DemoFaults(
                lost + others.lost,
                duplicated + others.duplicated,
                reordered + others.reordered,
                corrupted + others.corrupted);
    }
}
