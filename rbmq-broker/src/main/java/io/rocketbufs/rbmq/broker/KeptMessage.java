package io.rocketbufs.rbmq.broker;

import io.rocketbufs.rbmq.protocol.BuffersLayout;

/**
 * The copy of the last message of a topic, which remains available after its publisher has left. Subscribers subscribe
 * to the copy as they would to the buffer in which the message arrived, using the same id.
 *
 * @param topic the topic
 * @param bufferId the broker's id for the buffer
 * @param publisher the number that the broker assigned to the publisher
 * @param length number of bytes of the message, including its length field and headers
 * @param memoryLength number of bytes of memory that the copy occupies
 * @param forgetting releases the memory of the copy
 */
record KeptMessage(String topic, int bufferId, int publisher, long length, long memoryLength, Runnable forgetting) {
    BuffersLayout.Entry entry() {
        return new BuffersLayout.Entry(bufferId, publisher, length);
    }
}
