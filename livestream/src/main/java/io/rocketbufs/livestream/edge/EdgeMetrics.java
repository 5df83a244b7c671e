package io.rocketbufs.livestream.edge;

import io.rocketbufs.livestream.web.ServerMetrics;
import io.rocketbufs.metrics.MetricsSource;
import java.util.stream.Collectors;

/** What an edge has to show to those who watch over it. */
final class EdgeMetrics {
    private EdgeMetrics() {}

    static ServerMetrics of(Edge edge, MetricsSource framework) {
        ServerMetrics all = new ServerMetrics(
                framework,
                "Seconds since the newest chunk of a stream came",
                () -> edge.streams().all().stream()
                        .filter(stream -> !stream.view().isEmpty())
                        .collect(Collectors.toMap(EdgeStream::name, EdgeStream::chunkAgeMs)));
        all.gauge("livestream.viewers", "Connections of viewers", edge::viewerCount);
        all.gauge("livestream.streams", "Streams", () -> edge.streams().count());
        all.gauge("livestream.relay.connected", "1 while connected to the relay", () -> edge.isConnected() ? 1 : 0);
        EdgeCounters counters = edge.counters();
        all.counter("livestream.chunks", "Chunks from the relay", counters.chunks);
        all.counter("livestream.received.bytes", "Bytes of media from the relay", counters.receivedBytes);
        all.counter("livestream.malformed", "What came from the relay and was no chunk", counters.malformed);
        all.counter("livestream.gaps", "Times that the relay left something out", counters.gaps);
        all.counter("livestream.delivered.chunks", "Chunks that viewers got whole", counters.delivered);
        all.counter("livestream.delivered.bytes", "Bytes of media that viewers got", counters.deliveredBytes);
        all.counter("livestream.overwritten", "Chunks overwritten while a viewer got them", counters.overwritten);
        all.counter("livestream.refusals", "Connections of viewers that were too many", counters.refusals);
        all.counter("livestream.gone", "Chunks that viewers wanted too late", counters.gone);
        return all;
    }
}
