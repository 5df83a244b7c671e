package io.rocketbufs.in;

/** The receiver of the events of input buffers. Called on the connection's worker, in order for each buffer. */
public interface InputSink {
    /** Called when one or more whole deliveries have arrived. */
    void dataIn(InputBuffer buffer, long position, long length);

    /** Called when the sender has skipped data at a position. */
    void gap(InputBuffer buffer, long position, long lost);

    /** Called when no more data will arrive. {@code failure} is null if the sender ended the buffer gracefully. */
    void ended(InputBuffer buffer, String failure);
}
