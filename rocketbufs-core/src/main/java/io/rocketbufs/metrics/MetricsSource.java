package io.rocketbufs.metrics;

import java.util.List;

/**
 * Where the counters of one process are read. Reading walks plain counters; nothing is registered on the data path.
 *
 * <p><b>Thread-safety:</b> any thread; each number is right by itself, together they are of about the same moment.
 */
public interface MetricsSource {
    /** Every open connection. */
    List<ConnectionState> connections();

    /** Every buffer that the application fills. */
    List<OutputState> outputs();

    /** Every subscription of a peer to a buffer here, spliced or not. */
    List<SubscriptionState> subscriptions();

    /** Bytes of memory in buffers. */
    long memoryInUse();

    /** Bytes of address space taken from the system. */
    long memoryReserved();
}
