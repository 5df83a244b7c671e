package io.rocketbufs.benchmarks.transport;

/** What is measured. */
enum BenchMode {
    /** Messages one way, as many as go. */
    RATE,
    /** One message there and back, again and again. */
    LATENCY
}
