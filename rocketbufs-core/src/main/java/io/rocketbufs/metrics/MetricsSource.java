package io.rocketbufs.metrics;

import java.util.List;

/**
 * The source of one process's counters. Each call reads plain fields, so the data path does not depend on a metrics
 * library.
 *
 * <p><b>Thread-safety:</b> any thread. Each number is accurate, but the numbers that one call returns are read at
 * slightly different times.
 */
public interface MetricsSource {
    /** Returns the state of every open connection. */
    List<ConnectionState> connections();

    /** Returns the number of open connections. */
    default int connectionCount() {
        return connections().size();
    }

    /** Returns the state of every buffer that the application writes to. */
    List<OutputState> outputs();

    /** Returns the state of every peer's subscription to a buffer of this process, spliced or not. */
    List<SubscriptionState> subscriptions();

    /** Returns the number of bytes of memory that buffers occupy. */
    long memoryInUse();

    /**
     * Returns the number of seconds until the first of this process's own certificates expires. Negative if a
     * certificate has expired; NaN if there is none.
     */
    default double certificateExpirySeconds() {
        return Double.NaN;
    }

    /** Returns the number of bytes of address space reserved from the operating system. */
    long memoryReserved();
}
