package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.rocketlog.broker.ProducerInput.AppendTerms;

/**
 * State shared by all sessions of a broker.
 *
 * @param rocketBufs the broker's RocketBufs
 * @param topics the broker's topics
 * @param diskTasks runs tasks that wait for the disk, one at a time
 * @param append state shared by all producers
 * @param produce the limits of producers
 * @param producersPerConnection maximum number of producers of one client
 * @param consume state shared by all consumers
 * @param leases state shared by the leases of all producers
 * @param deletions state shared by the deletions of all topics
 */
record SessionTerms(
        RocketBufs rocketBufs,
        LogTopics topics,
        DiskTasks diskTasks,
        AppendTerms append,
        LogBrokerSettings.Produce produce,
        int producersPerConnection,
        ConsumerTerms consume,
        LeaseTerms leases,
        TopicDeletion.Terms deletions) {}
