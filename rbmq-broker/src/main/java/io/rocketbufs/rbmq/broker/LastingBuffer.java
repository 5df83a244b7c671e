package io.rocketbufs.rbmq.broker;

/**
 * A publisher's share of a topic whose last message is kept. It also records that the last message arrived in this
 * buffer.
 *
 * <p><b>Thread-safety:</b> as for {@link TopicBuffer}.
 */
final class LastingBuffer extends TopicBuffer {
    /** Assigned before the first data arrives. */
    private LastMessage last;

    LastingBuffer(
            ConnectedPublisher publisher,
            String topic,
            TopicRule rule,
            int publishersId,
            int bufferId,
            long publishersCapacity) {
        super(publisher, topic, rule, publishersId, bufferId, publishersCapacity);
    }

    @Override
    void joined(Topic to) {
        last = to.lastMessage();
        super.joined(to);
    }

    @Override
    void received(long length) {
        super.received(length);
        last.arrived(bufferId());
    }

    @Override
    boolean hasLast() {
        return last != null && last.isIn(bufferId());
    }
}
