package io.rocketbufs.benchmarks.compare;

/**
 * One combination of settings in an experiment.
 *
 * @param experiment the experiment
 * @param size length of a message in bytes
 * @param publishers number of publishers; 0 selects the number that gives the contender its highest throughput
 * @param subscribers number of subscribers, each of which receives every message
 * @param topics number of topics over which a publisher distributes its messages
 * @param rate messages per second; 0 for as many as possible
 */
public record Cell(Experiment experiment, int size, int publishers, int subscribers, int topics, int rate) {
    private static final int KIB = 1024;

    /** Returns a cell of the {@link BrokerExperiment#THROUGHPUT} experiment. */
    static Cell throughput(int size, int subscribers) {
        return new Cell(BrokerExperiment.THROUGHPUT, size, 0, subscribers, 1, 0);
    }

    /** Returns the size in human-readable form. */
    public String sizeText() {
        return size >= 2 * KIB && size % KIB == 0 ? size / KIB + " KiB" : size + " B";
    }

    @Override
    public String toString() {
        return experiment.describe(this);
    }
}
