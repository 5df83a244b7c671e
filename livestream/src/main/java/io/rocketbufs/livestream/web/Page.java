package io.rocketbufs.livestream.web;

import java.nio.charset.StandardCharsets;

/**
 * A whole answer to a request for something small.
 *
 * @param status of HTTP
 * @param type as HTTP calls it
 * @param body its bytes
 */
public record Page(int status, String type, byte[] body) {
    private static final String TEXT = "text/plain; charset=utf-8";
    private static final String JSON = "application/json; charset=utf-8";
    /** What Prometheus wants its text format to be called. */
    private static final String METRICS = "text/plain; version=0.0.4; charset=utf-8";

    /** A line for people. */
    public static Page text(int status, String line) {
        return of(status, TEXT, line + "\n");
    }

    /** One JSON value. */
    public static Page json(String value) {
        return of(200, JSON, value + "\n");
    }

    /** Numbers for Prometheus. */
    public static Page metrics(String text) {
        return of(200, METRICS, text);
    }

    /** Text of any type. */
    public static Page of(int status, String type, String text) {
        return new Page(status, type, text.getBytes(StandardCharsets.UTF_8));
    }
}
