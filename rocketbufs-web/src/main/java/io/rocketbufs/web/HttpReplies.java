package io.rocketbufs.web;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;

/** Methods that write responses to requests. */
public final class HttpReplies {
    private HttpReplies() {}

    /**
     * Writes a page as the response to a request. Then closes the connection if the client requested it.
     *
     * @param last true to tell the client that the connection closes after this response; the caller must then close
     *     the connection
     */
    public static ChannelFuture send(ChannelHandlerContext context, HttpRequest request, Page page, boolean last) {
        boolean isHead = HttpMethod.HEAD.equals(request.method());
        FullHttpResponse response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1,
                HttpResponseStatus.valueOf(page.status()),
                isHead ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(page.body()));
        response.headers().set(HttpHeaderNames.CONTENT_TYPE, page.type());
        response.headers().set(HttpHeaderNames.CONTENT_LENGTH, page.body().length);
        response.headers().set(HttpHeaderNames.CACHE_CONTROL, HttpHeaderValues.NO_STORE);
        page.headers().forEach(response.headers()::set);
        boolean closes = last || !HttpUtil.isKeepAlive(request);
        setConnection(response, request, closes);
        ChannelFuture written = context.writeAndFlush(response);
        if (closes && !last) {
            written.addListener(ChannelFutureListener.CLOSE);
        }
        return written;
    }

    /** Sets the response header that states whether the connection closes after the response. */
    public static void setConnection(HttpResponse response, HttpRequest request, boolean closes) {
        if (closes) {
            response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        } else if (!request.protocolVersion().isKeepAliveDefault()) {
            response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.KEEP_ALIVE);
        }
    }
}
