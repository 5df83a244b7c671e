package io.rocketbufs.livestream.edge;

import io.rocketbufs.json.Json;
import io.rocketbufs.livestream.ChunkHeader;
import io.rocketbufs.livestream.StreamDescription;
import io.rocketbufs.web.BrowserPolicy;
import io.rocketbufs.web.Page;
import io.rocketbufs.web.ResourcePages;
import io.rocketbufs.web.ServerMetrics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

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
    private final Supplier<List<String>> unresponsiveWorkers;
    private final ServerMetrics metrics;
    private final Map<String, Page> files = new TreeMap<>();

    /**
     * Creates the pages.
     *
     * @param connected returns true while the edge is connected to the relay
     * @param unresponsiveWorkers checks all workers and returns the unresponsive ones; may block
     */
    EdgePages(
            EdgeStreams streams,
            BooleanSupplier connected,
            Supplier<List<String>> unresponsiveWorkers,
            ServerMetrics metrics) {
        this.streams = streams;
        this.connected = connected;
        this.unresponsiveWorkers = unresponsiveWorkers;
        this.metrics = metrics;
        FILES.forEach(name -> files.put(name, ResourcePages.read(EdgePages.class, "/web/" + name)));
    }

    /**
     * Returns true if {@link #page} may block for the given path, because it is a health check that waits for workers.
     */
    boolean mayBlock(String path) {
        return path.startsWith("/health");
    }

    /** Returns the page at the given path. */
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
            case "/health/live" -> Page.health("live", unresponsiveWorkers.get());
            case "/health", "/health/ready" ->
                connected.getAsBoolean()
                        ? Page.health("ready", unresponsiveWorkers.get())
                        : Page.text(503, "not ready: not connected to the relay");
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
