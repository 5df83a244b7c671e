package io.rocketbufs.benchmarks.rdma;

/** A data path in Java that is compared with a C program. */
interface JavaMeasurement extends AutoCloseable {
    /** Performs one measurement. */
    double measure(Quantity quantity, int size, long durationMs) throws Exception;

    @Override
    void close();
}
