package io.rocketbufs.rocketlog.cli;

/**
 * The numbers of faulty records.
 *
 * @param lost records that were sent but did not arrive
 * @param duplicated records that arrived more than once
 * @param reordered records that arrived after a later one
 * @param corrupted records whose bytes differ from those that were sent
 */
record LoadFaults(long lost, long duplicated, long reordered, long corrupted) {
    static final LoadFaults NONE = new LoadFaults(0, 0, 0, 0);

    /** Returns the numbers as text. */
    String describe() {
        return lost + " lost, " + duplicated + " duplicated, " + reordered + " reordered, " + corrupted + " corrupted";
    }

    /** Returns the sums. */
    LoadFaults plus(LoadFaults others) {
        return new LoadFaults(
                lost + others.lost,
                duplicated + others.duplicated,
                reordered + others.reordered,
                corrupted + others.corrupted);
    }
}
