package io.rocketbufs.benchmarks.compare;

/**
 * The load that publishers put on a broker.
 *
 * @param publishers number of publishers
 * @param window messages that each publisher writes at once; 1 when every message is a separate call
 */
record Load(int publishers, int window) {
    @Override
    public String toString() {
        return publishers + "x" + window;
    }
}
