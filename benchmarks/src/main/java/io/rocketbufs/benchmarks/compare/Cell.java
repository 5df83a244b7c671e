package io.rocketbufs.benchmarks.compare;

/**
 * One experiment.
 *
 * @param size bytes of a message
 * @param subscribers how many get each message
 */
record Cell(int size, int subscribers) {
    private static final int KIB = 1024;

    /** Bytes as people say them. */
    String sizeText() {
        return size >= 2 * KIB && size % KIB == 0 ? size / KIB + " KiB" : size + " B";
    }

    @Override
    public String toString() {
        return sizeText() + ", " + subscribers + (subscribers == 1 ? " subscriber" : " subscribers");
    }
}
