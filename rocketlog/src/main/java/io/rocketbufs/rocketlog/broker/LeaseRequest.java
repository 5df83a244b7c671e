package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.rocketlog.protocol.LeaseMode;

/**
 * A producer's request for a lease: an ACQUIRE message.
 *
 * <p><i>Thread-safety:</i> immutable.
 *
 * @param correlation correlation number of the request
 * @param partition number of the partition, which may not exist
 * @param mode mode of the lease
 * @param producerId id in the batches that the producer will write
 */
record LeaseRequest(int correlation, int partition, LeaseMode mode, long producerId) {}
