package io.rocketbufs.rocketlog.cli;

/**
 * A load of the demo, which has one consumer for each partition.
 *
 * @param topic a topic of its own
 * @param producers number of producers
 * @param partitions number of partitions
 * @param rate records per second of each producer, whose latencies are measured; 0 for no limit
 */
record DemoLoad(String topic, int producers, int partitions, int rate) {}
