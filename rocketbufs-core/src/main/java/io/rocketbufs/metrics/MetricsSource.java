package io.rocketbufs.metrics;

import java.util.List;

/**
 * The source of the counters of one process. Reading walks plain counters; nothing is registered on the data path.
 *
 * <p><b>Thread-safety:</b> any thread. Each number is correct by itself; together they are of about the same moment.
 */
public interface MetricsSource {
    /** Returns every open connection. */
    List<ConnectionState> connections();

    /** Returns every buffer that the application fills. */
    List<OutputState> outputs();

    /** Returns every subscription of a peer to a buffer of this process, spliced or not. */
    List<SubscriptionState> subscriptions();

    /** Returns the bytes of memory in buffers. */
    long memoryInUse();

    /** Returns the bytes of address space reserved from the system. */
    long memoryReserved();
}
