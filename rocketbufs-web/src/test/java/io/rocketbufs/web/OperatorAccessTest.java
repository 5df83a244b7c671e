package io.rocketbufs.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;

final class OperatorAccessTest {
    private final OperatorAccess open = new OperatorAccess("", "a.token", "/admin/", path -> path.startsWith("/admin"));
    private final OperatorAccess closed =
            new OperatorAccess("secret", "a.token", "/admin/", path -> path.startsWith("/admin"));

    @Test
    void shouldShowMetricsOnlyToThisMachineWithoutAToken() {
        assertThat(status(open, "127.0.0.1", "")).isEqualTo(200);
        assertThat(status(open, "127.9.9.9", "")).isEqualTo(200);
        assertThat(status(open, "::1", "")).isEqualTo(200);
        assertThat(status(open, "10.0.0.1", "")).isEqualTo(403);
        assertThat(status(open, "2001:db8::1", "")).isEqualTo(403);
        assertThat(status(open, "10.0.0.1", "Bearer secret")).isEqualTo(403);
    }

    @Test
    void shouldRequireTheTokenWhenOneIsConfigured() {
        assertThat(status(closed, "10.0.0.1", "Bearer secret")).isEqualTo(200);
        assertThat(status(closed, "10.0.0.1", "Bearer secre")).isEqualTo(403);
        assertThat(status(closed, "10.0.0.1", "secret")).isEqualTo(403);
        // Requests from a proxy on this machine also come from this address.
        assertThat(status(closed, "127.0.0.1", "")).isEqualTo(401);
    }

    @Test
    void shouldNotRestrictOtherPages() {
        assertThat(closed.refusal("/api/streams", request(""), new InetSocketAddress("10.0.0.1", 1)))
                .isNull();
    }

    @Test
    void shouldAskABrowserForTheTokenAsAPassword() {
        assertThat(status(closed, "10.0.0.1", basic("anyone:secret"))).isEqualTo(200);
        for (String wrong : List.of("anyone:secre", "secret:", ":", "secret")) {
            Page refusal = closed.refusal("/admin/", request(basic(wrong)), new InetSocketAddress("10.0.0.1", 1));
            assertThat(refusal.status()).as(wrong).isEqualTo(wrong.contains(":") ? 401 : 403);
        }
        Page first = closed.refusal("/admin/", request(""), new InetSocketAddress("10.0.0.1", 1));
        assertThat(first.status()).isEqualTo(401);
        assertThat(first.headers()).containsEntry("WWW-Authenticate", "Basic realm=\"a.token\", charset=\"UTF-8\"");
        HttpRequest script = request("");
        script.headers().set("Accept", "application/json");
        assertThat(closed.refusal("/admin/api/status", script, new InetSocketAddress("10.0.0.1", 1))
                        .headers())
                .containsEntry("WWW-Authenticate", "Bearer realm=\"a.token\"");
    }

    private static String basic(String credentials) {
        return "Basic " + Base64.getEncoder().encodeToString(credentials.getBytes(StandardCharsets.UTF_8));
    }

    private static int status(OperatorAccess access, String peer, String authorization) {
        Page refusal = access.refusal("/metrics", request(authorization), new InetSocketAddress(peer, 1));
        return refusal == null ? 200 : refusal.status();
    }

    private static HttpRequest request(String authorization) {
        HttpRequest request = new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/metrics");
        if (!authorization.isEmpty()) {
            request.headers().set("Authorization", authorization);
        }
        return request;
    }
}
