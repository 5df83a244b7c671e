package io.rocketbufs.livestream.edge;

import io.rocketbufs.json.Json;
import io.rocketbufs.livestream.ChunkHeader;
import io.rocketbufs.livestream.StreamDescription;
import io.rocketbufs.web.BrowserPolicy;
import io.rocketbufs.web.Page;
import io.rocketbufs.web.ResourcePages;
import io.rocketbufs.web.ServerMetrics;
import io.rocketbufs.web.WorkerCheck;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;

/**
 * The HTTP pages of an edge, apart from the streams themselves. The player and its licence are resources on the class
 * path.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class EdgePages {
    private static final List<String> FILES =
            List.of("index.html", "watch.html", "style.css", "index.js", "watch.js", "hls.min.js", "hls.js-LICENSE");

    private final EdgeStreams streams;
    private final BooleanSupplier connected;
    private final WorkerCheck workers;
    private final ServerMetrics metrics;
    private final Map<String, Page> files = new TreeMap<>();

    /**
     * Creates the pages.
     *
     * @param connected supplies true while the edge is connected to the relay
     */
    EdgePages(EdgeStreams streams, BooleanSupplier connected, WorkerCheck workers, ServerMetrics metrics) {
        this.streams = streams;
        this.connected = connected;
        this.workers = workers;
        this.metrics = metrics;
        FILES.forEach(name -> files.put(name, ResourcePages.read(EdgePages.class, "/web/" + name)));
    }

    /** Returns true if {@link #health} returns the page at the given path. */
    boolean isHealth(String path) {
        return path.startsWith("/health");
    }

    /** Returns the response to a health check. May block, because it waits for workers. */
    CompletionStage<Page> health(String path) {
        return switch (path) {
            case "/health/live" -> workers.page("live");
            case "/health", "/health/ready" ->
                connected.getAsBoolean()
                        ? workers.page("ready")
                        : CompletableFuture.completedFuture(Page.text(503, "not ready: not connected to the relay"));
            default -> CompletableFuture.completedFuture(missing(path));
        };
    }

    /** Returns the page at the given path, except for health checks. */
    Page page(String path) {
        if (path.startsWith("/watch/")) {
            return files.get("watch.html");
        }
        if (path.startsWith("/web/")) {
            Page file = files.get(path.substring("/web/".length()));
            return file == null ? missing(path) : file;
        }
        return switch (path) {
            case "/" -> files.get("index.html");
            case "/api/streams" -> Page.json(Json.of(describeAll()));
            case "/metrics" -> Page.metrics(metrics.scrape()).with(BrowserPolicy.HEADERS);
            default -> missing(path);
        };
    }

    static Page missing(String path) {
        return Page.text(404, "there is no " + path);
    }

    private List<Map<String, Object>> describeAll() {
        return streams.all().stream().map(EdgePages::describe).toList();
    }

    private static Map<String, Object> describe(EdgeStream stream) {
        StreamDescription description = stream.description();
        StreamView view = stream.view();
        Map<String, Object> one = new LinkedHashMap<>();
        one.put("name", stream.name());
        one.put("playlist", "/live/" + stream.name() + "/index.m3u8");
        one.put("watch", "/watch/" + stream.name());
        if (description != null) {
            one.put("container", description.container().name());
            one.put("codecs", description.codecs());
        }
        one.put("ended", view.isEnded());
        one.put("chunks", view.chunkCount());
        EdgeChunk newest = view.newest();
        if (newest != null) {
            ChunkHeader header = newest.header();
            one.put("media_sequence", newest.mediaSequence());
            one.put("chunk_age_ms", stream.chunkAgeMs());
            one.put("chunk_bytes", header.length());
            one.put("chunk_ms", header.durationUs() / 1000);
        }
        return one;
    }
}
