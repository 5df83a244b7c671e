package io.rocketbufs.livestream.relay;

import io.rocketbufs.metrics.MetricsSource;
import io.rocketbufs.web.ServerMetrics;
import java.util.stream.Collectors;

/** The metrics of a relay. */
final class RelayMetrics {
    private RelayMetrics() {}

    static ServerMetrics of(Relay relay, MetricsSource framework) {
        ServerMetrics all = new ServerMetrics(framework);
        all.durations(
                "livestream.chunk.age",
                "Seconds since the newest chunk of a stream was complete",
                "stream",
                () -> relay.streams().states().stream()
                        .filter(state -> state.chunkAgeMs() >= 0)
                        .collect(Collectors.toMap(StreamState::name, StreamState::chunkAgeMs)));
        all.gauge("livestream.edges", "Connected edges", relay::edgeCount);
        all.gauge("livestream.streams", "Streams", () -> relay.streams().count());
        RelayCounters counters = relay.counters();
        all.counter("livestream.ingest.bytes", "Bytes of media from sources", counters.receivedBytes::sum);
        all.counter("livestream.ingest.chunks", "Complete chunks from sources", counters.chunks::sum);
        all.counter(
                "livestream.ingest.truncations", "Chunks from sources that were cut off", counters.truncations::sum);
        all.counter("livestream.refusals", "Sources and edges that were refused", counters.refusals::sum);
        return all;
    }
}
