package io.rocketbufs.livestream.edge;

import io.netty.handler.codec.compression.StandardCompressionOptions;
import io.netty.handler.codec.http.HttpContentCompressor;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponse;

/**
 * A handler that compresses text responses, but not media, for clients that accept compression.
 *
 * <p><b>Thread-safety:</b> the connection's thread.
 */
final class TextCompressor extends HttpContentCompressor {
    /** Minimum length in bytes of a text that is compressed; shorter texts fit into one packet anyway. */
    private static final int MIN_LENGTH = 1400;

    /** Creates a compressor for gzip and deflate. */
    TextCompressor() {
        super(MIN_LENGTH, StandardCompressionOptions.gzip(), StandardCompressionOptions.deflate());
    }

    @Override
    protected Result beginEncode(HttpResponse response, String acceptEncoding) throws Exception {
        if (response.headers().get(HttpHeaderNames.CONTENT_TYPE, "video/").startsWith("video/")) {
            return null;
        }
        response.headers().set(HttpHeaderNames.VARY, HttpHeaderNames.ACCEPT_ENCODING);
        return super.beginEncode(response, acceptEncoding);
    }
}
