package io.rocketbufs.in;

/**
 * A receiver of the data that arrives in an input buffer: the outlet determines consumption, not the application.
 *
 * <p><b>Thread-safety:</b> the input's worker, except where a method says otherwise.
 */
public interface Outlet {
    /** Returns why this outlet cannot pass on a buffer with these properties; null when it can. */
    String refusalOf(boolean overwriting, boolean lossy);

    /** Sets the position from which on this outlet receives all data. Called before the first transfer. */
    void begin(long position);

    /** Called when a transfer has arrived. {@link #announce} follows. */
    void arrived(long position, long length);

    /** Called when data is missing at the current end. {@link #announce} follows. */
    void gap(long lost);

    /** Makes the readers ready to send what has arrived. {@link #send} follows. */
    void announce();

    /** Lets the readers send what has arrived. */
    void send();

    /** Called when the sender cannot continue before everything before a position is consumed. */
    void spaceWanted(long position);

    /** Called when nothing further arrives. Any thread. */
    void end();

    /** Returns the position up to which the buffer is consumed. Any thread. */
    long consumedPosition();
}
