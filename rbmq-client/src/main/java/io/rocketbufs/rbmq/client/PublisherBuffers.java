package io.rocketbufs.rbmq.client;

import io.rocketbufs.Connection;
import io.rocketbufs.RIn;
import io.rocketbufs.Segment;
import io.rocketbufs.options.SubscribeOptions;
import io.rocketbufs.rbmq.protocol.BufferTable;
import io.rocketbufs.rbmq.protocol.BuffersLayout;
import io.rocketbufs.rbmq.protocol.NoticeLayout;
import io.rocketbufs.rbmq.protocol.RbmqType;
import io.rocketbufs.rocketnet.TransportException;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The buffers that a subscriber reads: one for each publisher of each topic.
 *
 * <p><b>Thread-safety:</b> the connection's worker. <b>Ownership:</b> owns the RIn's buffers. A buffer is unsubscribed
 * from when its publisher has left, its topic is unsubscribed from, or one of its frames is malformed.
 */
final class PublisherBuffers {
    private final RIn in;
    private final Connection connection;
    private final ClientSettings settings;
    private final SubscriberCallback callback;
    private final SubscriberCounts counts;
    /** The buffers, by the broker's id. */
    private final BufferTable<PublisherBuffer> buffers = new BufferTable<>();

    private PublisherBuffer last;

    PublisherBuffers(RIn in, ClientSettings settings, SubscriberCallback callback, SubscriberCounts counts) {
        this.in = in;
        this.connection = in.connection();
        this.settings = settings;
        this.callback = callback;
        this.counts = counts;
        in.setDataInCallback(this::onData);
        in.setGapCallback((bufferId, position, lost) -> onGap(bufferId, lost));
        in.setBufferEndCallback(this::onBufferEnd);
    }

    /** Subscribes to a buffer that the broker has added to a topic. */
    void add(TopicSubscription subscription, BuffersLayout.Entry entry) {
        if (subscription.isLeft()) {
            return;
        }
        FrameReader frames =
                new FrameReader(subscription, entry.publisher(), e -> onHandlerFailure(subscription, entry, e));
        PublisherBuffer buffer = new PublisherBuffer(subscription, entry.bufferId(), entry.publisher(), frames);
        buffers.put(entry.bufferId(), buffer);
        subscription.buffers().add(buffer);
        subscription.unsettled();
        subscribe(buffer, entry.capacity()).whenComplete((ok, failure) -> onSubscribed(buffer, failure));
    }

    private CompletableFuture<Void> subscribe(PublisherBuffer buffer, long publishersCapacity) {
        long capacity = Math.max(settings.subscriberCapacity(), publishersCapacity);
        if (capacity > settings.maxCapacity()) {
            return CompletableFuture.failedFuture(new TransportException(
                    TransportException.Code.RESOURCES,
                    "publisher " + buffer.publisher() + " requires a buffer of " + capacity
                            + " bytes, which exceeds rbmq.client.max-capacity=" + settings.maxCapacity()));
        }
        // Flow control prevents the publisher from overwriting a message while its handler reads it.
        SubscribeOptions options = SubscribeOptions.DEFAULTS
                .withFlowControl(true)
                .withSlowPolicy(buffer.subscription().policy());
        try {
            return in.subscribe(buffer.bufferId(), capacity, options);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void onSubscribed(PublisherBuffer buffer, Throwable failure) {
        if (failure != null) {
            forget(buffer);
            if (connection.isOpen() && !buffer.isNoLoss()) {
                callback.onError(buffer.topic(), buffer.publisher(), failure);
            }
        }
        buffer.subscription().settled();
    }

    /** Called when the broker reports that a publisher has left; data that it sent may still arrive. */
    void onRemoved(int bufferId, String why) {
        PublisherBuffer buffer = buffers.get(bufferId);
        if (buffer != null) {
            buffer.onRemoved(why);
        }
    }

    /** Unsubscribes from all buffers of a topic. */
    void giveUp(TopicSubscription subscription) {
        List.copyOf(subscription.buffers()).forEach(this::giveUp);
    }

    private void giveUp(PublisherBuffer buffer) {
        forget(buffer);
        in.unsubscribe(buffer.bufferId());
    }

    private void forget(PublisherBuffer buffer) {
        if (buffers.get(buffer.bufferId()) == buffer) {
            buffers.remove(buffer.bufferId());
        }
        buffer.subscription().buffers().remove(buffer);
        last = null;
    }

    private void onData(int bufferId, Segment transfer) {
        PublisherBuffer buffer = last;
        if (buffer == null || buffer.bufferId() != bufferId) {
            buffer = buffers.get(bufferId);
            last = buffer;
        }
        FrameReader frames = buffer.frames();
        boolean wellFormed = frames.read(transfer);
        counts.received(frames.count(), frames.payloadLength());
        if (wellFormed) {
            in.dataConsumed(bufferId, transfer.length());
        } else {
            onMalformed(buffer, frames.describeMalformed());
        }
    }

    private void onHandlerFailure(TopicSubscription subscription, BuffersLayout.Entry entry, Throwable failure) {
        counts.failed();
        callback.onError(subscription.topic(), entry.publisher(), failure);
    }

    /** Unsubscribes from this buffer only: the publisher's other topics and other publishers are not affected. */
    private void onMalformed(PublisherBuffer buffer, String what) {
        counts.malformed();
        connection.sendControlMessage(NoticeLayout.write(
                RbmqType.MALFORMED, buffer.subscription().number(), buffer.bufferId(), buffer.publisher(), what));
        giveUp(buffer);
        callback.onError(
                buffer.topic(),
                buffer.publisher(),
                new TransportException(
                        TransportException.Code.PROTOCOL, "publisher " + buffer.publisher() + ": " + what));
    }

    private void onGap(int bufferId, long lost) {
        PublisherBuffer buffer = buffers.get(bufferId);
        counts.lost(lost);
        if (!buffer.subscription().isLeft()) {
            callback.onGap(buffer.topic(), buffer.publisher(), lost);
        }
    }

    private void onBufferEnd(int bufferId, String failure) {
        PublisherBuffer buffer = buffers.get(bufferId);
        // The end of the connection ends all buffers, but does not mean that a publisher has left.
        if (connection.isOpen()) {
            giveUp(buffer);
            if (!buffer.subscription().isLeft()) {
                callback.onPublisherEnd(buffer.topic(), buffer.publisher(), buffer.failure(failure));
            }
        }
    }
}
