package io.rocketbufs.web;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;

/** Checks of a request that do not depend on its target (RFC 9110, RFC 9112). */
public final class RequestCheck {
    private RequestCheck() {}

    /**
     * Returns the response to an invalid request, or null if the request is valid. The connection must be closed after
     * this response.
     */
    public static Page refusal(HttpRequest request) {
        if (request.decoderResult().isFailure()) {
            return malformed(request.decoderResult().cause());
        }
        HttpHeaders headers = request.headers();
        if (request.protocolVersion().majorVersion() != 1) {
            return Page.text(505, "HTTP/1.0 or HTTP/1.1 is required");
        }
        int hosts = headers.getAll(HttpHeaderNames.HOST).size();
        if (hosts > 1 || hosts == 0 && request.protocolVersion().equals(HttpVersion.HTTP_1_1)) {
            return Page.text(400, "the request has " + hosts + " Host headers instead of one");
        }
        String expected = headers.get(HttpHeaderNames.EXPECT);
        if (expected != null && !HttpHeaderValues.CONTINUE.contentEqualsIgnoreCase(expected)) {
            return Page.text(417, "the expectation is not supported");
        }
        return null;
    }

    private static Page malformed(Throwable cause) {
        if (cause instanceof TooLongHttpLineException) {
            return Page.text(414, "the URL is too long");
        }
        if (cause instanceof TooLongHttpHeaderException) {
            return Page.text(431, "the header is too long");
        }
        return Page.text(400, "malformed HTTP request");
    }

    /** Returns whether a request announces that it has content. */
    public static boolean hasContent(HttpRequest request) {
        return HttpUtil.isTransferEncodingChunked(request) || HttpUtil.getContentLength(request, 0L) > 0;
    }
}
