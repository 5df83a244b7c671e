package io.rocketbufs.rocketlog.cli;

/**
 * A load of the demo, which has one consumer for each partition.
 *
 * @param topic name of the topic, which only this load uses
 * @param producers number of producers
 * @param partitions number of partitions
 * @param rate records per second of each producer, in which case latencies are measured; 0 for no limit
 */
record DemoLoad(String topic, int producers, int partitions, int rate) {}
