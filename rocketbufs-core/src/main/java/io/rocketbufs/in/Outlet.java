package io.rocketbufs.in;

/**
 * A receiver of the data that arrives in an input buffer. The outlet, not the application, determines when data counts
 * as consumed.
 *
 * <p><b>Thread-safety:</b> used on the input's worker, except where a method states otherwise.
 */
public interface Outlet {
    /** Returns the reason why this outlet cannot pass on the data of a buffer with these properties; null if it can. */
    String refusalOf(boolean overwriting, boolean lossy);

    /** Sets the position of the first data that this outlet receives. Called before the first transfer. */
    void begin(long position);

    /** Called when a transfer has arrived. {@link #announce} follows. */
    void arrived(long position, long length);

    /** Called when data is missing at the current end. {@link #announce} follows. */
    void gap(long lost);

    /** Makes the readers ready to send the data that has arrived. {@link #send} follows. */
    void announce();

    /** Sends the data that has arrived to the readers. */
    void send();

    /** Called when the sender cannot continue until all data before a position has been consumed. */
    void spaceWanted(long position);

    /** Called when no more data will arrive. Any thread. */
    void end();

    /** Returns the position up to which data has been consumed. Any thread. */
    long consumedPosition();
}
