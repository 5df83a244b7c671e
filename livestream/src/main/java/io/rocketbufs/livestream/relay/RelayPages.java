package io.rocketbufs.livestream.relay;

import io.rocketbufs.json.Json;
import io.rocketbufs.web.Page;
import io.rocketbufs.web.ServerMetrics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The HTTP pages of a relay.
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

    /**
     * Returns true if {@link #page} may block for the given path, because it is a health check that waits for workers.
     */
    public boolean mayBlock(String path) {
        return path.startsWith("/health");
    }

    /** Returns the page at the given path. */
    public Page page(String path) {
        return switch (path) {
            case "/api/streams" -> Page.json(Json.of(streams()));
            case "/metrics" -> Page.metrics(metrics.scrape());
            case "/health/live" -> Page.health("live", relay.unresponsiveWorkers());
            case "/health", "/health/ready" -> Page.health("ready", relay.unresponsiveWorkers());
            case "/" -> Page.text(200, index());
            default -> Page.text(404, "there is no " + path);
        };
    }

    private String index() {
        StringBuilder out = new StringBuilder();
        for (StreamState state : relay.streams().states()) {
            out.append(state.name()).append(": ").append(state.chunks()).append(" chunks");
            if (state.refused() != null) {
                long count = state.refused().count();
                out.append(", ")
                        .append(count)
                        .append(count == 1 ? " refusal" : " refusals")
                        .append(", the last ");
                out.append(state.refused().ageMs() / 1000).append(" s ago: ");
                out.append(state.refused().reason());
            }
            out.append('\n');
        }
        return out.append("/api/streams /metrics /health/live /health/ready").toString();
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
                    if (state.refused() != null) {
                        one.put("refused", state.refused().count());
                        one.put("refusal", state.refused().reason());
                        one.put("refusal_age_ms", state.refused().ageMs());
                    }
                    return one;
                })
                .toList();
    }
}
