package io.rocketbufs.web;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A complete, short response to a request.
 *
 * @param status HTTP status code
 * @param type value of the Content-Type header
 * @param body content of the response
 * @param headers additional headers, by name
 */
public record Page(int status, String type, byte[] body, Map<String, String> headers) {
    private static final String TEXT = "text/plain; charset=utf-8";
    private static final String JSON = "application/json; charset=utf-8";
    /** Content type of the Prometheus text format. */
    private static final String METRICS = "text/plain; version=0.0.4; charset=utf-8";

    /** Copies the headers. */
    public Page {
        headers = Map.copyOf(headers);
    }

    /** Creates a page without additional headers. */
    public Page(int status, String type, byte[] body) {
        this(status, type, body, Map.of());
    }

    /** Returns the response to a request whose method is not supported. */
    public static Page notAllowed(String allow) {
        return text(405, "supported methods: " + allow).with(Map.of("allow", allow));
    }

    /** Returns a page with one line of plain text. */
    public static Page text(int status, String line) {
        return of(status, TEXT, line + "\n");
    }

    /**
     * Returns the response to a health check: 200 if every worker responded, otherwise 503.
     *
     * @param state name of the checked state, such as "ready"
     * @param unresponsiveWorkers workers that did not respond in time
     */
    public static Page health(String state, List<String> unresponsiveWorkers) {
        return unresponsiveWorkers.isEmpty()
                ? text(200, state)
                : text(503, "not " + state + ": no answer from " + String.join(", ", unresponsiveWorkers));
    }

    /** Returns a page with one JSON value. */
    public static Page json(String value) {
        return json(200, value);
    }

    /** Returns a page with one JSON value and the given status. */
    public static Page json(int status, String value) {
        return of(status, JSON, value + "\n");
    }

    /** Returns a page with metrics in the Prometheus text format. */
    public static Page metrics(String text) {
        return of(200, METRICS, text);
    }

    /** Returns a copy of this page with additional headers, which replace headers with the same name. */
    public Page with(Map<String, String> more) {
        Map<String, String> all = new HashMap<>(headers);
        all.putAll(more);
        return new Page(status, type, body, all);
    }

    /** Returns a page with text of the given type. */
    public static Page of(int status, String type, String text) {
        return new Page(status, type, text.getBytes(StandardCharsets.UTF_8));
    }
}
