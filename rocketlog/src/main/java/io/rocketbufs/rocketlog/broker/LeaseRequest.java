package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.rocketlog.protocol.LeaseMode;

/**
 * A producer's question for a lease: an ACQUIRE message.
 *
 * <p><i>Thread-safety:</i> immutable.
 *
 * @param correlation of the question
 * @param partition number of the partition, which may not exist
 * @param mode of the lease
 * @param producerId of the batches that the producer will write
 */
record LeaseRequest(int correlation, int partition, LeaseMode mode, long producerId) {}
