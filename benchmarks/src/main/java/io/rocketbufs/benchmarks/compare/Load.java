package io.rocketbufs.benchmarks.compare;

/**
 * How publishers load a broker as much as they can.
 *
 * @param publishers how many
 * @param window messages that each writes at once; 1 where every message is a call
 */
record Load(int publishers, int window) {
    @Override
    public String toString() {
        return publishers + "x" + window;
    }
}
