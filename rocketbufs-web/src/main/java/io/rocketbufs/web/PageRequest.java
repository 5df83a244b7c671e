package io.rocketbufs.web;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A client's request to a {@link PageServer}.
 *
 * @param isPost true for the method POST, false for GET and HEAD
 * @param path decoded path, without the query
 * @param query query as sent, without the question mark; empty if there is none
 * @param authorization value of the {@code Authorization} header; empty if there is none
 * @param origin value of the {@code Origin} header, which browsers add to the requests of web pages; empty if there is
 *     none
 */
public record PageRequest(boolean isPost, String path, String query, String authorization, String origin) {
    /** Returns the bearer token that the client presents (RFC 6750); empty if there is none. */
    public String bearerToken() {
        return BearerTokens.presented(authorization);
    }

    /**
     * Returns the decoded parameters of the query, in the order of the query. A parameter without a value has an empty
     * one.
     *
     * @throws IllegalArgumentException naming the parameter that is malformed or repeated
     */
    public Map<String, String> parameters() {
        Map<String, String> parameters = new LinkedHashMap<>();
        for (String part : query.split("&")) {
            if (part.isEmpty()) {
                continue;
            }
            String[] pair = part.split("=", 2);
            String name = decode(pair[0], pair[0]);
            if (parameters.put(name, pair.length == 1 ? "" : decode(pair[0], pair[1])) != null) {
                throw new IllegalArgumentException("parameter \"" + pair[0] + "\" is repeated");
            }
        }
        return parameters;
    }

    private static String decode(String rawName, String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("parameter \"" + rawName + "\" is not encoded as in a URL", e);
        }
    }
}
