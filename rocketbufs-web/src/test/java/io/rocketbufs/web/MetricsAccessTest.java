package io.rocketbufs.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

final class MetricsAccessTest {
    private final MetricsAccess open = new MetricsAccess("", "a.token");
    private final MetricsAccess closed = new MetricsAccess("secret", "a.token");

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

    private static int status(MetricsAccess access, String peer, String authorization) {
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
