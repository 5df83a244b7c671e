package io.rocketbufs.rbmq.broker;

import io.rocketbufs.options.SlowPolicy;

/**
 * One subscriber's interest in a topic.
 *
 * @param subscriber who
 * @param number the subscriber's own number for it
 * @param topic the topic
 * @param policy what the subscriber wishes to happen when it is slow; null leaves that to the broker
 */
record TopicReader(SubscriberSession subscriber, int number, String topic, SlowPolicy policy) {}
