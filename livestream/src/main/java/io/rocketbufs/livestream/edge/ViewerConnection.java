package io.rocketbufs.livestream.edge;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.util.ReferenceCountUtil;
import io.rocketbufs.livestream.Container;
import io.rocketbufs.livestream.web.ConnectionFailures;
import io.rocketbufs.livestream.web.HttpReplies;
import io.rocketbufs.livestream.web.MetricsAccess;
import io.rocketbufs.livestream.web.Page;
import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection of a viewer: answers its requests, one after the other.
 *
 * <p><b>Thread-safety:</b> the connection's thread.
 */
final class ViewerConnection extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(ViewerConnection.class);
    private static final String LIVE = "/live/";
    private static final String PLAYLIST = "index.m3u8";
    private static final String PLAYLIST_TYPE = "application/vnd.apple.mpegurl";
    /** The name of a chunk is never used again. */
    private static final String FOR_LONG = "public, max-age=3600, immutable";
    /** Asked for again each time, and answered with 304 if it is the same. */
    private static final String NOT_AT_ALL = "no-cache";

    private static final int MAX_WAITING = 64;

    private final EdgeStreams streams;
    private final EdgePages pages;
    private final MetricsAccess access;
    private final EdgeCounters counters;
    private final WriteGate gate;
    private final Deque<HttpRequest> waiting = new ArrayDeque<>();
    private boolean serving;
    private boolean busy;

    ViewerConnection(
            EdgeStreams streams, EdgePages pages, MetricsAccess access, EdgeCounters counters, WriteGate gate) {
        this.streams = streams;
        this.pages = pages;
        this.access = access;
        this.counters = counters;
        this.gate = gate;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        try {
            if (message instanceof HttpRequest request) {
                waiting.add(request);
            } else if (message instanceof HttpContent content
                    && content.content().isReadable()) {
                // Nothing here takes a body.
                context.close();
                return;
            }
            if (message instanceof LastHttpContent) {
                serve(context);
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    /** Answers what has been asked, each when the answer before it is in the socket. */
    private void serve(ChannelHandlerContext context) {
        if (serving) {
            return;
        }
        serving = true;
        while (!busy && !waiting.isEmpty() && context.channel().isActive()) {
            answer(context, waiting.remove());
        }
        serving = false;
        if (waiting.size() > MAX_WAITING) {
            context.close();
        }
        // Whoever does not take answers is not asked for more requests.
        context.channel().config().setAutoRead(!busy);
    }

    private void answer(ChannelHandlerContext context, HttpRequest request) {
        if (request.decoderResult().isFailure()) {
            busyUntil(context, HttpReplies.send(context, request, Page.text(400, "this is no HTTP"), true), true);
            return;
        }
        String path = request.uri().split("\\?", 2)[0];
        if (request.method().equals(HttpMethod.OPTIONS)) {
            preflight(context, request);
        } else if (!request.method().equals(HttpMethod.GET) && !request.method().equals(HttpMethod.HEAD)) {
            send(context, request, Page.text(405, "only GET, HEAD and OPTIONS"));
        } else if (path.startsWith(LIVE)) {
            live(context, request, path.substring(LIVE.length()));
        } else {
            Page refusal = access.refusal(path, request, context.channel().remoteAddress());
            send(context, request, refusal == null ? pages.page(path) : refusal);
        }
    }

    private void send(ChannelHandlerContext context, HttpRequest request, Page page) {
        busyUntil(context, HttpReplies.send(context, request, page, false), !HttpUtil.isKeepAlive(request));
    }

    /** Whoever does not read gets no more answers than one. */
    private void busyUntil(ChannelHandlerContext context, ChannelFuture written, boolean closes) {
        busy = true;
        written.addListener(done -> {
            busy = false;
            if (closes) {
                context.close();
            } else {
                serve(context);
            }
        });
    }

    /** A page from elsewhere asks whether it may: it may. */
    private void preflight(ChannelHandlerContext context, HttpRequest request) {
        DefaultFullHttpResponse response =
                new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.NO_CONTENT, Unpooled.EMPTY_BUFFER);
        allowEverybody(response.headers());
        response.headers().set(HttpHeaderNames.ACCESS_CONTROL_ALLOW_METHODS, "GET, HEAD, OPTIONS");
        response.headers().set(HttpHeaderNames.ACCESS_CONTROL_ALLOW_HEADERS, "*");
        response.headers().set(HttpHeaderNames.ACCESS_CONTROL_MAX_AGE, 86_400);
        finish(context, request, response);
    }

    private static void allowEverybody(HttpHeaders headers) {
        headers.set(HttpHeaderNames.ACCESS_CONTROL_ALLOW_ORIGIN, "*");
        headers.set(HttpHeaderNames.ACCESS_CONTROL_EXPOSE_HEADERS, "ETag, Content-Length");
    }

    private void live(ChannelHandlerContext context, HttpRequest request, String path) {
        int slash = path.indexOf('/');
        EdgeStream stream = slash < 0 ? null : streams.find(path.substring(0, slash));
        if (stream == null) {
            send(context, request, Page.text(404, "there is no such stream"));
            return;
        }
        StreamView view = stream.view();
        String file = path.substring(slash + 1);
        byte[] init = view.init(file);
        EdgeChunk chunk = view.chunk(file);
        if (file.equals(PLAYLIST) && !view.isEmpty()) {
            send(context, request, view.playlist(), PLAYLIST_TYPE, view.playlistTag(), NOT_AT_ALL);
        } else if (init != null) {
            String tag = "\"" + file + "\"";
            send(context, request, init, Container.FMP4.mimeType(), tag, FOR_LONG);
        } else if (chunk != null && chunk.isIntact()) {
            send(context, request, chunk);
        } else {
            if (!file.equals(PLAYLIST)) {
                counters.gone.increment();
            }
            send(context, request, Page.text(404, "there is no such file, or not any more"));
        }
    }

    private void send(
            ChannelHandlerContext context, HttpRequest request, byte[] body, String type, String tag, String caching) {
        HttpResponse head = head(request, body.length, type, tag, caching);
        boolean hasBody = !isBodiless(request, head);
        DefaultFullHttpResponse response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, head.status(), hasBody ? Unpooled.wrappedBuffer(body) : Unpooled.EMPTY_BUFFER);
        response.headers().set(head.headers());
        finish(context, request, response);
    }

    private void send(ChannelHandlerContext context, HttpRequest request, EdgeChunk chunk) {
        Container container = chunk.description().container();
        String tag = "\"" + chunk.id() + "\"";
        HttpResponse head = head(request, chunk.header().length(), container.mimeType(), tag, FOR_LONG);
        if (isBodiless(request, head)) {
            DefaultFullHttpResponse response =
                    new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, head.status(), Unpooled.EMPTY_BUFFER);
            response.headers().set(head.headers());
            finish(context, request, response);
            return;
        }
        busy = true;
        boolean closes = !HttpUtil.isKeepAlive(request);
        // A record of its own: together with payload it would be copied, and so would all that follows.
        context.writeAndFlush(head);
        new ChunkSending(context, gate, counters, chunk, () -> {
                    busy = false;
                    if (closes) {
                        context.close();
                    } else {
                        serve(context);
                    }
                })
                .next();
    }

    private static HttpResponse head(HttpRequest request, int length, String type, String tag, String caching) {
        boolean isKnown = isKnown(request, tag);
        HttpResponse head = new DefaultHttpResponse(
                HttpVersion.HTTP_1_1, isKnown ? HttpResponseStatus.NOT_MODIFIED : HttpResponseStatus.OK);
        HttpHeaders headers = head.headers();
        if (!isKnown) {
            headers.set(HttpHeaderNames.CONTENT_TYPE, type);
            headers.set(HttpHeaderNames.CONTENT_LENGTH, length);
        }
        headers.set(HttpHeaderNames.ETAG, tag);
        headers.set(HttpHeaderNames.CACHE_CONTROL, caching);
        allowEverybody(headers);
        HttpReplies.setConnection(head, request, !HttpUtil.isKeepAlive(request));
        return head;
    }

    private static boolean isKnown(HttpRequest request, String tag) {
        String known = request.headers().get(HttpHeaderNames.IF_NONE_MATCH, "");
        return known.equals("*") || known.contains(tag);
    }

    private static boolean isBodiless(HttpRequest request, HttpResponse head) {
        return request.method().equals(HttpMethod.HEAD) || head.status().equals(HttpResponseStatus.NOT_MODIFIED);
    }

    private void finish(ChannelHandlerContext context, HttpRequest request, HttpResponse response) {
        boolean closes = !HttpUtil.isKeepAlive(request);
        HttpReplies.setConnection(response, request, closes);
        busyUntil(context, context.writeAndFlush(response), closes);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof IdleStateEvent) {
            LOG.debug("Viewer {} does nothing", context.channel().remoteAddress());
            context.close();
        }
        context.fireUserEventTriggered(event);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        ConnectionFailures.close(context, cause, LOG);
    }
}
