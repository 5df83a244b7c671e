package io.rocketbufs.livestream.relay;

import io.rocketbufs.json.Json;
import io.rocketbufs.livestream.web.Page;
import io.rocketbufs.livestream.web.ServerMetrics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a relay has to show over HTTP.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
public final class RelayPages {
    private final Relay relay;
    private final ServerMetrics metrics;

    RelayPages(Relay relay, ServerMetrics metrics) {
        this.relay = relay;
        this.metrics = metrics;
    }

    /** The page at a path. */
    public Page page(String path) {
        return switch (path) {
            case "/api/streams" -> Page.json(Json.of(streams()));
            case "/metrics" -> Page.metrics(metrics.scrape());
            case "/health/live" -> Page.text(200, "live");
            case "/health", "/health/ready" -> Page.text(200, "ready");
            case "/" -> Page.text(200, "/api/streams /metrics /health/live /health/ready");
            default -> Page.text(404, "there is no " + path);
        };
    }

    private List<Map<String, Object>> streams() {
        return relay.streams().states().stream()
                .map(state -> {
                    Map<String, Object> one = new LinkedHashMap<>();
                    one.put("name", state.name());
                    one.put("container", state.container());
                    one.put("codecs", state.codecs());
                    one.put("edges", relay.subscribed(state.name()));
                    one.put("writing", relay.isWriting(state.name()));
                    one.put("chunks", state.chunks());
                    one.put("received_bytes", state.receivedBytes());
                    one.put("chunk_age_ms", state.chunkAgeMs());
                    one.put("capacity", state.capacity());
                    return one;
                })
                .toList();
    }
}
