package io.rocketbufs.livestream.edge;

import io.rocketbufs.Connection;
import io.rocketbufs.RIn;
import io.rocketbufs.Segment;
import io.rocketbufs.livestream.ChunkHeader;
import io.rocketbufs.livestream.ChunkLayout;
import io.rocketbufs.livestream.DescriptionLayout;
import io.rocketbufs.livestream.StreamDescription;
import io.rocketbufs.options.SubscribeOptions;
import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The protocol of a connection to the relay. It subscribes to every stream that the relay announces, and adds arriving
 * chunks to the streams.
 *
 * <p><b>Thread-safety:</b> the connection's worker.
 */
final class RelaySession {
    private static final Logger LOG = LoggerFactory.getLogger(RelaySession.class);

    private final EdgeStreams streams;
    private final EdgeCounters counters;
    private final RIn in;
    private final Map<Integer, SubscribedStream> byBufferId = new HashMap<>();

    /** A stream and the buffer that receives it. */
    private record SubscribedStream(EdgeStream stream, EdgeBuffer buffer) {}

    /** Creates the session. Called within the connection callback. */
    RelaySession(Connection connection, EdgeStreams streams, EdgeCounters counters) {
        this.streams = streams;
        this.counters = counters;
        this.in = new RIn(connection);
        in.setControlMessageCallback(this::onDescription);
        in.setDataInCallback(this::onData);
        in.setGapCallback((bufferId, position, lost) -> {
            counters.gaps.increment();
            counters.lostBytes.add(lost);
        });
        in.setBufferEndCallback(this::onEnd);
    }

    private void onDescription(ByteBuffer message) {
        StreamDescription description = DescriptionLayout.read(message);
        SubscribedStream known = byBufferId.get(description.bufferId());
        if (known != null) {
            known.stream.describe(description, known.buffer);
            return;
        }
        EdgeBuffer buffer = new EdgeBuffer(in, description);
        EdgeStream stream = streams.describe(description, buffer);
        byBufferId.put(description.bufferId(), new SubscribedStream(stream, buffer));
        LOG.info("Stream {} has begun", stream.name());
        in.subscribe(description.bufferId(), description.capacity(), SubscribeOptions.DEFAULTS.withFlowControl(false))
                .whenComplete((done, failure) -> {
                    if (failure != null) {
                        LOG.info("Cannot subscribe to stream {}: {}", stream.name(), failure.getMessage());
                        onRefused(description.bufferId(), failure);
                    }
                });
    }

    /**
     * Called when a subscription has failed, either because the stream ended before the relay received the request or
     * because the connection to the relay was lost.
     */
    private void onRefused(int bufferId, Throwable failure) {
        boolean isRefused =
                failure instanceof TransportException known && known.code() == TransportException.Code.REFUSED;
        onEnd(bufferId, isRefused ? null : failure.getMessage());
    }

    private void onData(int bufferId, Segment segment) {
        SubscribedStream from = byBufferId.get(bufferId);
        long index = 0;
        while (index < segment.length()) {
            ChunkHeader header = ChunkLayout.read(segment, index);
            if (header == null || header.stream() != bufferId) {
                // Over a one-sided transport, the chunk may already have been overwritten.
                counters.malformed.increment();
                return;
            }
            if (from.stream.add(from.buffer, segment, index, header)) {
                counters.chunks.increment();
                counters.receivedBytes.add(header.length());
            } else {
                counters.malformed.increment();
            }
            index += ChunkLayout.lengthOf(header.length());
        }
    }

    /**
     * Interrupts all streams when the connection has ended, including streams with a pending subscription, for which
     * the buffer-end callback is not called.
     */
    void interrupt() {
        byBufferId.values().forEach(each -> each.stream.interrupt(each.buffer));
        byBufferId.clear();
    }

    private void onEnd(int bufferId, String failure) {
        SubscribedStream ended = byBufferId.remove(bufferId);
        if (ended == null) {
            return;
        }
        if (failure == null) {
            LOG.info("Stream {} has ended", ended.stream.name());
            ended.stream.end(ended.buffer);
        } else {
            ended.stream.interrupt(ended.buffer);
        }
    }
}
