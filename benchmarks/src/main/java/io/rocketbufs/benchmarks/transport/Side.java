package io.rocketbufs.benchmarks.transport;

import io.rocketbufs.memory.Vecs;

/** What one end of a connection does in a run. All on the connection's worker. */
interface Side {
    /** Says where an arriving write goes. */
    void place(int length, Vecs into);

    /** A write arrived. */
    void arrived(int immediate, int length);

    /** A control message arrived. */
    void control(BenchMessage type, long a, long b);

    /** Something has changed: goes on with what could not be done before. */
    void turn();
}
