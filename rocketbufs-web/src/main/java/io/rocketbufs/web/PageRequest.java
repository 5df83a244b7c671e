package io.rocketbufs.web;

/**
 * A client's request to a {@link PageServer}.
 *
 * @param isPost true for the method POST, false for GET and HEAD
 * @param path decoded path, without the query
 * @param authorization value of the {@code Authorization} header; empty if there is none
 * @param origin value of the {@code Origin} header, which browsers add to the requests of web pages; empty if there is
 *     none
 */
public record PageRequest(boolean isPost, String path, String authorization, String origin) {
    /** Returns the bearer token that the client presents (RFC 6750); empty if there is none. */
    public String bearerToken() {
        return BearerTokens.presented(authorization);
    }
}
