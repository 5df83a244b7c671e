package io.rocketbufs.rbmq.broker;

import io.rocketbufs.rbmq.protocol.BuffersLayout;

/**
 * The copy of the last message of a topic, which remains available although its publisher has left. Subscribers
 * subscribe to it like to the buffer in which the message arrived, with the same id.
 *
 * @param topic the topic
 * @param bufferId the broker's id for the buffer
 * @param publisher the publisher's number
 * @param length number of bytes of the message, including its length field and headers
 * @param memoryLength number of bytes of memory that the copy occupies
 * @param forgetting releases the copy
 */
record KeptMessage(String topic, int bufferId, int publisher, long length, long memoryLength, Runnable forgetting) {
    BuffersLayout.Entry entry() {
        return new BuffersLayout.Entry(bufferId, publisher, length);
    }
}
