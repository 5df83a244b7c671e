package io.rocketbufs.benchmarks.compare;

/**
 * The load that publishers put on a broker.
 *
 * @param publishers number of publishers
 * @param window number of messages that each publisher writes with one call; for log producers, the length of a batch
 *     in bytes
 */
public record Load(int publishers, int window) {
    @Override
    public String toString() {
        return publishers + "x" + window;
    }
}
