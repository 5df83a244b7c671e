package io.rocketbufs.in;

/**
 * Takes over what arrives in an input buffer: consumption follows the outlet, not the application.
 *
 * <p><b>Thread-safety:</b> the input's worker, except where a method says otherwise.
 */
public interface Outlet {
    /** Returns why this outlet cannot pass on a buffer that its sender serves this way; null when it can. */
    String refusalOf(boolean overwriting, boolean lossy);

    /** Sets the position from which on everything goes here; before the first transfer. */
    void begin(long position);

    /** Takes over a transfer. {@link #announce} follows. */
    void arrived(long position, long length);

    /** Notes that data is missing at the present end. {@link #announce} follows. */
    void gap(long lost);

    /** Makes readers ready for what has arrived. {@link #send} follows. */
    void announce();

    /** Lets readers send what has arrived. */
    void send();

    /** Notes that the sender cannot go on before everything before a position is consumed. */
    void spaceWanted(long position);

    /** Notes that nothing more arrives. Any thread. */
    void end();

    /** Returns the position up to which the buffer is consumed. Any thread. */
    long consumedPosition();
}
