package io.rocketbufs.livestream.relay;

import io.rocketbufs.json.Json;
import io.rocketbufs.livestream.page.OperatorPages;
import io.rocketbufs.web.BrowserPolicy;
import io.rocketbufs.web.Page;
import io.rocketbufs.web.ServerMetrics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The HTTP pages of a relay, apart from the operator page.
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

    /** Returns true if {@link #health} returns the page at the given path. */
    public boolean isHealth(String path) {
        return path.startsWith("/health");
    }

    /** Returns the response to a health check. May block, because it waits for workers. */
    public CompletionStage<Page> health(String path) {
        return switch (path) {
            case "/health/live" -> relay.workers().page("live");
            case "/health", "/health/ready" -> relay.workers().page("ready");
            default -> CompletableFuture.completedFuture(missing(path));
        };
    }

    /** Returns the counters on the operator page that are specific to relays. */
    public Map<String, Object> counters() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("truncations", relay.counters().truncations.sum());
        json.put("refusals", relay.counters().refusals.sum());
        return json;
    }

    /** Returns the page at the given path, except for health checks. */
    public Page page(String path) {
        return switch (path) {
            case "/api/streams" -> Page.json(Json.of(streams()));
            case "/metrics" -> Page.metrics(metrics.scrape()).with(BrowserPolicy.HEADERS);
            case "/" -> OperatorPages.redirect();
            default -> missing(path);
        };
    }

    private static Page missing(String path) {
        return Page.text(404, "there is no " + path);
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
