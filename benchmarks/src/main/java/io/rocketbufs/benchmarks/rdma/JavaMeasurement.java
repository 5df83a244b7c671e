package io.rocketbufs.benchmarks.rdma;

/** A path through Java that is compared with C. */
interface JavaMeasurement extends AutoCloseable {
    /** Performs one measurement. */
    double measure(Quantity quantity, int size, long durationMs) throws Exception;

    @Override
    void close();
}
