package io.rocketbufs.rbmq.broker;

import io.rocketbufs.rbmq.protocol.BuffersLayout;

/**
 * A description of the publisher's buffer that a group reads.
 *
 * @param publisher the publisher
 * @param topic the topic
 * @param rule the rule that applies to the buffer
 * @param entry the buffer as the broker describes it to subscribers
 */
record GroupSource(ConnectedPublisher publisher, String topic, TopicRule rule, BuffersLayout.Entry entry) {
    /** Returns the broker's id for the buffer. */
    int bufferId() {
        return entry.bufferId();
    }
}
