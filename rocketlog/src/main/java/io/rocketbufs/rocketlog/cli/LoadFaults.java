package io.rocketbufs.rocketlog.cli;

/**
 * The numbers of faulty records, by kind of fault.
 *
 * @param lost number of records that were sent but did not arrive
 * @param duplicated number of records that arrived again
 * @param reordered number of records that arrived after a later record
 * @param corrupted number of records whose bytes differ from the bytes that were sent
 */
record LoadFaults(long lost, long duplicated, long reordered, long corrupted) {
    static final LoadFaults NONE = new LoadFaults(0, 0, 0, 0);

    /** Returns a description of the faults. */
    String describe() {
        return lost + " lost, " + duplicated + " duplicated, " + reordered + " reordered, " + corrupted + " corrupted";
    }

    /** Returns the sums of these numbers and the given numbers. */
    LoadFaults plus(LoadFaults others) {
        return new LoadFaults(
                lost + others.lost,
                duplicated + others.duplicated,
                reordered + others.reordered,
                corrupted + others.corrupted);
    }
}
