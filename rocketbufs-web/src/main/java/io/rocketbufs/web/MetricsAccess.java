package io.rocketbufs.web;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;

/**
 * Access control for the metrics. If a token is set, only clients that present it may read the metrics; otherwise, only
 * clients on this machine may.
 *
 * <p><b>Thread-safety:</b> immutable.
 */
public final class MetricsAccess {
    /** Path of the metrics. */
    public static final String PATH = "/metrics";

    private final BearerTokens tokens;
    private final String key;

    /**
     * Creates the access control for the given token.
     *
     * @param token token that clients must present; empty for none
     * @param key configuration key of the token, which error messages name
     */
    public MetricsAccess(String token, String key) {
        this.tokens = new BearerTokens(token.isEmpty() ? List.of() : List.of(token));
        this.key = key;
    }

    /**
     * Returns the response to a client that may not read the metrics, or null if the client may read them or requests
     * another page.
     */
    public Page refusal(String path, HttpRequest request, SocketAddress peer) {
        if (!path.equals(PATH)) {
            return null;
        }
        if (!tokens.isEmpty()) {
            String presented = request.headers().get(HttpHeaderNames.AUTHORIZATION, "");
            return tokens.admits(presented)
                    ? null
                    : Page.text(presented.isEmpty() ? 401 : 403, key + " is required as a bearer token");
        }
        boolean isLocal = peer instanceof InetSocketAddress address
                && address.getAddress().isLoopbackAddress();
        return isLocal ? null : Page.text(403, "available only on this machine, because " + key + " is not set");
    }
}
