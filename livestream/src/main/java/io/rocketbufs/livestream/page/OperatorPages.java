package io.rocketbufs.livestream.page;

import io.rocketbufs.json.Json;
import io.rocketbufs.livestream.page.PageReading.PeerReading;
import io.rocketbufs.livestream.page.ServerFacts.StreamFacts;
import io.rocketbufs.web.ApiQuery;
import io.rocketbufs.web.BrowserPolicy;
import io.rocketbufs.web.BuildVersion;
import io.rocketbufs.web.Page;
import io.rocketbufs.web.PageFiles;
import io.rocketbufs.web.PageRequest;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The operator page at {@value #PATH}, its files, and the data that it requests. The caller must check that the client
 * is an operator and that the request was not triggered by a page of another site.
 *
 * <p>Another site could map its own name to the address of this server (DNS rebinding). However, the server accepts
 * only HTTPS and its certificate is not valid for that site, so a browser refuses the connection.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
public final class OperatorPages {
    /** Path of the operator page. */
    public static final String PATH = "/admin/";

    private static final String WITHOUT_SLASH = "/admin";
    private static final String WEB = PATH + "web/";
    private static final int MAX_SLOW = 20;

    private final ServerIdentity server;
    private final PageWatch watch;
    private final Supplier<Map<String, Object>> counters;
    private final PageFiles files =
            new PageFiles(OperatorPages.class, "web", "index.html", "main.js", "figures.js", "streams.js", "peers.js");
    private final Map<String, Function<Map<String, String>, Map<String, Object>>> api = new TreeMap<>();

    /**
     * Creates the pages.
     *
     * @param counters supplies additional numbers, by name, for the figures on the page
     */
    public OperatorPages(ServerIdentity server, PageWatch watch, Supplier<Map<String, Object>> counters) {
        this.server = server;
        this.watch = watch;
        this.counters = counters;
        api.put(PATH + "api/status", this::status);
        api.put(PATH + "api/history", this::history);
        api.put(PATH + "api/streams", this::streams);
        api.put(PATH + "api/" + server.peers(), this::peers);
    }

    /** Returns true if the path belongs to the operator page. */
    public static boolean isAt(String path) {
        return path.equals(WITHOUT_SLASH) || path.startsWith(PATH);
    }

    /** Returns the response to a request for a path that belongs to the operator page. */
    public Page page(PageRequest request) {
        return answer(request).with(BrowserPolicy.HEADERS);
    }

    /** Returns a response that redirects a browser to the operator page. */
    public static Page redirect() {
        return Page.text(302, "see " + PATH).with(Map.of("Location", PATH));
    }

    private Page answer(PageRequest request) {
        String path = request.path();
        if (path.equals(WITHOUT_SLASH)) {
            return redirect();
        }
        Function<Map<String, String>, Map<String, Object>> data = api.get(path);
        if (data == null) {
            Page file = files.get(
                    path.equals(PATH) ? "index.html" : path.startsWith(WEB) ? path.substring(WEB.length()) : "");
            return file == null
                    ? Page.text(404, "there is no such page; there are " + PATH + " " + String.join(" ", api.keySet()))
                    : file;
        }
        if (watch.reading() == null) {
            return Page.text(503, "the counters could not be read yet; see the server's log for the reason");
        }
        try {
            return Page.json(Json.of(data.apply(request.parameters())));
        } catch (IllegalArgumentException e) {
            return Page.text(400, e.getMessage());
        }
    }

    private Map<String, Object> history(Map<String, String> parameters) {
        new ApiQuery(parameters);
        return watch.history();
    }

    private Map<String, Object> streams(Map<String, String> parameters) {
        return new RowQuery<>(parameters, StreamSort.BEHIND)
                .select(watch.reading().streams(), "streams");
    }

    private Map<String, Object> peers(Map<String, String> parameters) {
        return new RowQuery<>(parameters, PeerSort.STALLED)
                .select(watch.reading().peers(), server.peers());
    }

    private Map<String, Object> status(Map<String, String> parameters) {
        new ApiQuery(parameters);
        PageReading reading = watch.reading();
        ServerFacts facts = reading.facts();
        List<PeerReading> slow = reading.slow();
        StreamFacts latest = reading.latest();
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("role", server.role());
        json.put("version", BuildVersion.get());
        json.put("startedAt", Instant.ofEpochMilli(server.startedMs()).toString());
        json.put("uptimeMs", System.currentTimeMillis() - server.startedMs());
        json.put("listeners", server.listeners().get());
        json.put("obstacle", facts.obstacle());
        json.put("windowMs", reading.windowMs());
        json.put("streams", facts.streams().size());
        json.put(server.peers(), facts.peers().size());
        json.put("inBytesPerSecond", reading.inRate());
        json.put("outBytesPerSecond", reading.outRate());
        json.put("receivedBytes", facts.receivedBytes());
        json.put("sentBytes", facts.sentBytes());
        json.put("lostBytes", facts.lostBytes());
        json.put("behindMs", latest == null ? 0 : latest.behindMs());
        json.put("behindStream", latest == null ? null : latest.name());
        json.putAll(counters.get());
        json.put("slowCount", slow.size());
        json.put("slow", slow.stream().limit(MAX_SLOW).map(PeerReading::json).toList());
        return json;
    }
}
