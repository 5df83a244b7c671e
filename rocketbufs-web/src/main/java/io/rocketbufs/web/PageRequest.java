package io.rocketbufs.web;

/**
 * A client's request to a {@link PageServer}.
 *
 * @param path decoded path, without the query
 * @param authorization value of the {@code Authorization} header; empty if there is none
 */
public record PageRequest(String path, String authorization) {
    private static final String BEARER = "Bearer ";

    /** Returns the bearer token that the client presents (RFC 6750); empty if there is none. */
    public String bearerToken() {
        return authorization.startsWith(BEARER) ? authorization.substring(BEARER.length()) : "";
    }
}
