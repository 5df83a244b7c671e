package io.rocketbufs.delivery;

/** Receives the reports of deliveries, one after the other. */
public interface DataOutSink {
    /** A delivery is done. */
    void dataOut(Object context, DataOutStatus status);
}
