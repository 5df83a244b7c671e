package io.rocketbufs.web;

/**
 * A client's request to a {@link PageServer}.
 *
 * @param path decoded path, without the query
 * @param authorization value of the {@code Authorization} header; empty if there is none
 */
public record PageRequest(String path, String authorization) {
    /** Returns the bearer token that the client presents (RFC 6750); empty if there is none. */
    public String bearerToken() {
        return BearerTokens.presented(authorization);
    }
}
