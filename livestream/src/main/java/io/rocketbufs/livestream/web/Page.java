package io.rocketbufs.livestream.web;

import java.nio.charset.StandardCharsets;

/**
 * A whole answer to a request for something small.
 *
 * @param status of HTTP
 * @param type as HTTP calls it
 * @param body its bytes
 * @param allow methods that would be answered; empty where that is not the matter
 */
public record Page(int status, String type, byte[] body, String allow) {
    private static final String TEXT = "text/plain; charset=utf-8";
    private static final String JSON = "application/json; charset=utf-8";
    /** What Prometheus wants its text format to be called. */
    private static final String METRICS = "text/plain; version=0.0.4; charset=utf-8";

    /** A page that needs no more than this. */
    public Page(int status, String type, byte[] body) {
        this(status, type, body, "");
    }

    /** An answer to a method other than those. */
    public static Page notAllowed(String allow) {
        return new Page(405, TEXT, ("only " + allow + "\n").getBytes(StandardCharsets.UTF_8), allow);
    }

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
