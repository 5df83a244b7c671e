package io.rocketbufs.livestream.web;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/**
 * Who may read the metrics: whoever presents the token; without one, who comes from this machine.
 *
 * <p><b>Thread-safety:</b> immutable.
 */
public final class MetricsAccess {
    /** Where they are. */
    public static final String PATH = "/metrics";

    private final byte[] expected;

    /** With a token; empty for none. */
    public MetricsAccess(String token) {
        expected = token.isEmpty() ? new byte[0] : ("Bearer " + token).getBytes(StandardCharsets.UTF_8);
    }

    /** What somebody is told who may not; null for who may, and for every other page. */
    public Page refusal(String path, HttpRequest request, SocketAddress peer) {
        if (!path.equals(PATH)) {
            return null;
        }
        if (expected.length > 0) {
            byte[] presented =
                    request.headers().get(HttpHeaderNames.AUTHORIZATION, "").getBytes(StandardCharsets.UTF_8);
            return MessageDigest.isEqual(expected, presented)
                    ? null
                    : Page.text(presented.length == 0 ? 401 : 403, "needs livestream.metrics.token as a bearer token");
        }
        boolean isHere = peer instanceof InetSocketAddress address
                && address.getAddress().isLoopbackAddress();
        return isHere ? null : Page.text(403, "only for this machine, as there is no livestream.metrics.token");
    }
}
