package io.rocketbufs.metrics;

import java.util.List;

/**
 * The source of the counters of one process. Each call reads plain counters; nothing is registered on the data path.
 *
 * <p><b>Thread-safety:</b> any thread. Each number is accurate, but the numbers of one call are read at slightly
 * different times.
 */
public interface MetricsSource {
    /** Returns every open connection. */
    List<ConnectionState> connections();

    /** Returns every buffer that the application writes to. */
    List<OutputState> outputs();

    /** Returns every subscription of a peer to a buffer of this process, spliced or not. */
    List<SubscriptionState> subscriptions();

    /** Returns the number of bytes of memory in buffers. */
    long memoryInUse();

    /** Returns the number of bytes of address space reserved from the system. */
    long memoryReserved();
}
