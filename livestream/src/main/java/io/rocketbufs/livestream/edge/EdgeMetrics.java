package io.rocketbufs.livestream.edge;

import io.rocketbufs.metrics.MetricsSource;
import io.rocketbufs.web.ServerMetrics;
import java.util.stream.Collectors;

/** The metrics of an edge, which are read from its streams and counters. */
final class EdgeMetrics {
    private EdgeMetrics() {}

    static ServerMetrics of(EdgeStreams streams, EdgeCounters counters, MetricsSource framework) {
        ServerMetrics all = new ServerMetrics(framework);
        all.durations(
                "livestream.chunk.age",
                "Seconds since the newest chunk of a stream arrived",
                "stream",
                () -> streams.all().stream()
                        .filter(stream -> !stream.view().isEmpty())
                        .collect(Collectors.toMap(EdgeStream::name, EdgeStream::chunkAgeMs)));
        all.gauge("livestream.streams", "Streams", () -> streams.count());
        all.counter("livestream.chunks", "Chunks from the relay", counters.chunks::sum);
        all.counter("livestream.received.bytes", "Bytes of media from the relay", counters.receivedBytes::sum);
        all.counter("livestream.malformed", "Malformed chunks from the relay", counters.malformed::sum);
        all.counter("livestream.gaps", "Gaps in the data from the relay", counters.gaps::sum);
        all.counter("livestream.delivered.chunks", "Chunks delivered to viewers completely", counters.delivered::sum);
        all.counter("livestream.delivered.bytes", "Bytes of media delivered to viewers", counters.deliveredBytes::sum);
        all.counter(
                "livestream.overwritten", "Chunks overwritten while being sent to a viewer", counters.overwritten::sum);
        all.counter("livestream.refusals", "Viewer connections refused at the limit", counters.refusals::sum);
        all.counter("livestream.gone", "Requests for chunks that were already overwritten", counters.gone::sum);
        return all;
    }
}
