package io.rocketbufs.web;

import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A complete, short response to a request.
 *
 * @param status HTTP status code
 * @param type value of the Content-Type header
 * @param body content of the response
 * @param allow value of the Allow header, which lists the supported methods; if empty, the header is omitted
 */
public record Page(int status, String type, byte[] body, String allow) {
    private static final String TEXT = "text/plain; charset=utf-8";
    private static final String JSON = "application/json; charset=utf-8";
    /** Content type of Prometheus' text format. */
    private static final String METRICS = "text/plain; version=0.0.4; charset=utf-8";

    /** Creates a page without an Allow header. */
    public Page(int status, String type, byte[] body) {
        this(status, type, body, "");
    }

    /** Returns the response to a request whose method is not supported. */
    public static Page notAllowed(String allow) {
        return new Page(405, TEXT, ("supported methods: " + allow + "\n").getBytes(StandardCharsets.UTF_8), allow);
    }

    /** Returns a page with one line of plain text. */
    public static Page text(int status, String line) {
        return of(status, TEXT, line + "\n");
    }

    /**
     * Returns the response to a health check: 200 if every worker responded, otherwise 503.
     *
     * @param state state that is checked, such as "ready"
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

    /** Returns a page with metrics in Prometheus' text format. */
    public static Page metrics(String text) {
        return of(200, METRICS, text);
    }

    /** Returns a page with text of the given type. */
    public static Page of(int status, String type, String text) {
        return new Page(status, type, text.getBytes(StandardCharsets.UTF_8));
    }
}
