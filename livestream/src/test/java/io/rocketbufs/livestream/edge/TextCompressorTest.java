package io.rocketbufs.livestream.edge;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class TextCompressorTest {
    private static final int LONG = 10_000;

    private final EmbeddedChannel channel = new EmbeddedChannel(new TextCompressor());

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
    }

    @Test
    void shouldCompressALongTextForClientsThatAcceptIt() {
        HttpHeaders sent = headersOf("text/css", LONG, "gzip");
        assertThat(sent.get(HttpHeaderNames.CONTENT_ENCODING)).isEqualTo("gzip");
        assertThat(sent.get(HttpHeaderNames.VARY)).isEqualToIgnoringCase("accept-encoding");

        assertThat(headersOf("text/css", LONG, "identity").contains(HttpHeaderNames.CONTENT_ENCODING))
                .isFalse();
    }

    @Test
    void shouldLeaveMediaAndShortTextsUnchanged() {
        assertThat(headersOf("video/mp4", LONG, "gzip").contains(HttpHeaderNames.CONTENT_ENCODING))
                .isFalse();
        assertThat(headersOf("text/css", 100, "gzip").contains(HttpHeaderNames.CONTENT_ENCODING))
                .isFalse();
    }

    private HttpHeaders headersOf(String type, int length, String accepted) {
        DefaultFullHttpRequest request = new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/");
        request.headers().set(HttpHeaderNames.ACCEPT_ENCODING, accepted);
        channel.writeInbound(request);
        FullHttpResponse response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, HttpResponseStatus.OK, Unpooled.wrappedBuffer(new byte[length]));
        response.headers().set(HttpHeaderNames.CONTENT_TYPE, type);
        response.headers().set(HttpHeaderNames.CONTENT_LENGTH, length);
        channel.writeOutbound(response);
        HttpHeaders headers = ((HttpResponse) channel.outboundMessages().peek()).headers();
        channel.releaseOutbound();
        return headers;
    }
}
