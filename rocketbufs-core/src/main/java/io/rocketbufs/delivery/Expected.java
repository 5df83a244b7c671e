package io.rocketbufs.delivery;

import java.util.concurrent.Executor;

/**
 * A place in a buffer held for a connection that is going to subscribe, so that nothing is lost while it does.
 *
 * <p><b>Thread-safety:</b> the position is read by anybody, changed under the {@link Fanout}'s lock.
 */
final class Expected {
    private final Endpoint endpoint;
    private long from;
    private volatile long position;

    /** Holds what lies after {@code position} for now, until {@link #hold} says from where on. */
    Expected(Endpoint endpoint, long position) {
        this.endpoint = endpoint;
        this.position = position;
    }

    /** Holds what is delivered from a position on. */
    void hold(long position) {
        this.from = position;
        this.position = position;
    }

    /** True when this place is held for that connection, or for whoever comes first. */
    boolean isFor(Endpoint other) {
        return endpoint == null || endpoint == other;
    }

    /** Where what becomes of the data is reported. */
    Executor executor() {
        return endpoint == null ? Runnable::run : endpoint.worker();
    }

    /** True when it is held for a certain connection, and not given up. */
    boolean isForSomebody() {
        return endpoint != null && !isGivenUp();
    }

    /** True when nothing is held any more. */
    boolean isGivenUp() {
        return position == Long.MAX_VALUE;
    }

    /** Log position that is held; {@link Long#MAX_VALUE} when nothing is held any more. */
    long position() {
        return position;
    }

    /** Log position where holding began. */
    long from() {
        return from;
    }

    /** Holds nothing any more; whoever comes learns what it missed. */
    void giveUp() {
        position = Long.MAX_VALUE;
    }
}
