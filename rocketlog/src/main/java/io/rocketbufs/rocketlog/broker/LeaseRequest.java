package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.rocketlog.protocol.LeaseMode;

/**
 * A producer's request for a lease: an ACQUIRE message.
 *
 * <p><i>Thread-safety:</i> immutable.
 *
 * @param correlation number that the response repeats
 * @param partition number of the partition; not necessarily one that exists
 * @param mode requested mode of the lease
 * @param producerId producer id that the producer's batches will contain
 */
record LeaseRequest(int correlation, int partition, LeaseMode mode, long producerId) {}
