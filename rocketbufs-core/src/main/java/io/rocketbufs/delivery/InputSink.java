package io.rocketbufs.delivery;

/** What the application is told about its input buffers; called on the connection's worker, in order per buffer. */
public interface InputSink {
    /** One or more whole deliveries have arrived. */
    void dataIn(InputBuffer buffer, long position, long length);

    /** Data was left out at a position. */
    void gap(InputBuffer buffer, long position, long lost);

    /** Nothing more comes. {@code failure} is null when the sender ended the buffer in good order. */
    void ended(InputBuffer buffer, String failure);
}
