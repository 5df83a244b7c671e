package io.rocketbufs.rbmq.broker;

import io.rocketbufs.RIn;
import io.rocketbufs.ROut;
import io.rocketbufs.options.BufferOptions;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Brings publishers' buffers into the broker's one output, under ids of the broker's own, and into their topics; and
 * out again.
 *
 * <p><b>Thread-safety:</b> any thread; each buffer on its publisher's worker. <b>Source:</b> RocketBufs 4.1.
 */
final class Ingest {
    private final ROut out;
    private final Topics topics;
    private final Drains drains;
    private final BrokerSettings settings;
    private final BufferOptions options;
    private final AtomicInteger bufferIds = new AtomicInteger();

    Ingest(ROut out, Topics topics, Drains drains, BrokerSettings settings) {
        this.out = out;
        this.topics = topics;
        this.drains = drains;
        this.settings = settings;
        BrokerSettings.Slow slow = settings.slow();
        this.options = BufferOptions.DEFAULTS
                .withSlowPolicy(slow.policy())
                .withLagLimits(slow.lagLimit(), slow.lagTimeoutMs())
                .withStallTimeout(slow.stallTimeoutMs());
    }

    /** An id that no buffer has; ids come again only after all others. */
    int nextBufferId() {
        return bufferIds.incrementAndGet();
    }

    /**
     * Bytes of the buffer for a publisher's buffer, so that its longest message fits.
     *
     * @throws IllegalArgumentException when that is more than the settings allow, or nonsense
     */
    long capacityFor(long publishersCapacity) {
        if (publishersCapacity < 1 || publishersCapacity > settings.maxCapacity()) {
            throw new IllegalArgumentException("capacity=" + publishersCapacity
                    + " is not within 1 to rbmq.broker.max-capacity=" + settings.maxCapacity());
        }
        return Math.max(publishersCapacity, settings.capacity());
    }

    /** The publisher has agreed to a buffer: from now on its data goes to the topic's subscribers. */
    void join(RIn in, TopicBuffer buffer) {
        out.splice(in, buffer.publishersId(), buffer.bufferId(), options);
        topics.join(buffer);
    }

    /** A buffer gets no more data; what is there still goes to the subscribers that it has. */
    void leave(TopicBuffer buffer, String failure) {
        topics.leave(buffer, failure);
        drains.begin(buffer.bufferId());
    }
}
