package io.rocketbufs.web;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;

/**
 * Access control of the metrics: clients that present the token may read them or, if no token is set, clients on this
 * machine.
 *
 * <p><b>Thread-safety:</b> immutable.
 */
public final class MetricsAccess {
    /** Path of the metrics. */
    public static final String PATH = "/metrics";

    private final BearerTokens tokens;
    private final String key;

    /**
     * Creates an access control.
     *
     * @param token empty for none
     * @param key the configuration key of the token, for messages
     */
    public MetricsAccess(String token, String key) {
        this.tokens = new BearerTokens(token.isEmpty() ? List.of() : List.of(token));
        this.key = key;
    }

    /**
     * Returns the response to a client that may not read the metrics; null for a client that may, and for all other
     * pages.
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
