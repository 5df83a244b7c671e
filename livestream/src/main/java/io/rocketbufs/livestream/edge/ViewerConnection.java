package io.rocketbufs.livestream.edge;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.timeout.IdleStateEvent;
import io.rocketbufs.livestream.Container;
import io.rocketbufs.livestream.page.OperatorPages;
import io.rocketbufs.text.HostPort;
import io.rocketbufs.web.ConnectionFailures;
import io.rocketbufs.web.HttpReplies;
import io.rocketbufs.web.OperatorAccess;
import io.rocketbufs.web.Page;
import io.rocketbufs.web.PageRequest;
import io.rocketbufs.web.PageThreads;
import io.rocketbufs.web.RequestQueue;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A handler of a viewer's connection, which responds to the viewer's requests one after another.
 *
 * <p><b>Thread-safety:</b> the connection's thread.
 */
final class ViewerConnection extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(ViewerConnection.class);
    private static final String LIVE = "/live/";
    private static final String PLAYLIST = "index.m3u8";
    private static final String PLAYLIST_TYPE = "application/vnd.apple.mpegurl";
    /** Caching policy for chunks and init segments, whose names are never reused. */
    private static final String IMMUTABLE = "public, max-age=3600, immutable";
    /**
     * Caching policy for content that clients must revalidate every time. The response is 304 if the content is
     * unchanged.
     */
    private static final String REVALIDATED = "no-cache";

    private final EdgeStreams streams;
    private final EdgePages pages;
    private final OperatorPages operators;
    private final Set<Viewer> viewers;
    private final OperatorAccess access;
    private final EdgeCounters counters;
    private final WriteGate gate;
    private final PageThreads pageThreads;
    /** Null until this connection requests a stream. */
    private Viewer viewer;

    private final RequestQueue requests =
            new RequestQueue(List.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS), this::answer);

    ViewerConnection(
            EdgeStreams streams,
            EdgePages pages,
            OperatorPages operators,
            Set<Viewer> viewers,
            PageThreads pageThreads,
            OperatorAccess access,
            EdgeCounters counters,
            WriteGate gate) {
        this.streams = streams;
        this.pages = pages;
        this.operators = operators;
        this.viewers = viewers;
        this.pageThreads = pageThreads;
        this.access = access;
        this.counters = counters;
        this.gate = gate;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        requests.take(context, message);
    }

    private void answer(ChannelHandlerContext context, HttpRequest request) {
        String path = request.uri().split("\\?", 2)[0];
        if (request.method().equals(HttpMethod.OPTIONS)) {
            preflight(context, request);
        } else if (path.startsWith(LIVE)) {
            live(context, request, path.substring(LIVE.length()));
        } else {
            page(context, request, path);
        }
    }

    private void page(ChannelHandlerContext context, HttpRequest request, String path) {
        Page refusal = access.refusal(path, request, context.channel().remoteAddress());
        if (refusal != null) {
            requests.send(context, request, refusal);
            return;
        }
        if (OperatorPages.isAt(path)) {
            // Not null, because the access control has already refused malformed URLs.
            PageRequest asked = PageRequest.of(request);
            requests.begin();
            pageThreads.make(context, () -> operators.page(asked), made -> requests.send(context, request, made));
        } else if (pages.isHealth(path)) {
            requests.begin();
            pageThreads.makeLater(context, () -> pages.health(path), made -> requests.send(context, request, made));
        } else {
            requests.send(context, request, pages.page(path));
        }
    }

    /** Allows scripts from other origins to read responses. */
    private void preflight(ChannelHandlerContext context, HttpRequest request) {
        DefaultFullHttpResponse response =
                new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.NO_CONTENT, Unpooled.EMPTY_BUFFER);
        allowEverybody(response.headers());
        response.headers().set(HttpHeaderNames.ACCESS_CONTROL_ALLOW_METHODS, requests.allowed());
        response.headers().set(HttpHeaderNames.ACCESS_CONTROL_ALLOW_HEADERS, "*");
        response.headers().set(HttpHeaderNames.ACCESS_CONTROL_MAX_AGE, 86_400);
        finish(context, request, response);
    }

    private static void allowEverybody(HttpHeaders headers) {
        headers.set(HttpHeaderNames.ACCESS_CONTROL_ALLOW_ORIGIN, "*");
        headers.set(HttpHeaderNames.ACCESS_CONTROL_EXPOSE_HEADERS, "ETag, Content-Length, Content-Range, Date");
    }

    private void live(ChannelHandlerContext context, HttpRequest request, String path) {
        int slash = path.indexOf('/');
        EdgeStream stream = slash < 0 ? null : streams.find(path.substring(0, slash));
        if (stream == null) {
            requests.send(context, request, Page.text(404, "there is no such stream"));
            return;
        }
        viewerOf(context).watches(stream.name());
        StreamView view = stream.view();
        String file = path.substring(slash + 1);
        byte[] init = view.init(file);
        EdgeChunk chunk = view.chunk(file);
        if (file.equals(PLAYLIST) && !view.isEmpty()) {
            ByteRange all = ByteRange.all(view.playlist().length);
            send(context, request, view.playlist(), all, PLAYLIST_TYPE, view.playlistTag(), REVALIDATED);
        } else if (init != null) {
            String tag = "\"" + file + "\"";
            ByteRange range = ByteRange.of(request, tag, init.length);
            send(context, request, init, range, Container.FMP4.mimeType(), tag, IMMUTABLE);
        } else if (chunk != null && chunk.isIntact()) {
            send(context, request, chunk);
        } else {
            if (!file.equals(PLAYLIST)) {
                counters.gone.increment();
            }
            requests.send(context, request, Page.text(404, "there is no such file, or it no longer exists"));
        }
    }

    /** Returns the viewer of this connection, which is created on the first request for a stream. */
    private Viewer viewerOf(ChannelHandlerContext context) {
        if (viewer == null) {
            viewer = new Viewer(HostPort.of(context.channel().remoteAddress()));
            viewers.add(viewer);
        }
        return viewer;
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (viewer != null) {
            viewers.remove(viewer);
        }
        context.fireChannelInactive();
    }

    private void send(
            ChannelHandlerContext context,
            HttpRequest request,
            byte[] body,
            ByteRange range,
            String type,
            String tag,
            String caching) {
        HttpResponse head = head(request, range, type, tag, caching);
        DefaultFullHttpResponse response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1,
                head.status(),
                isBodiless(request, head)
                        ? Unpooled.EMPTY_BUFFER
                        : Unpooled.wrappedBuffer(body, range.first(), range.length()));
        response.headers().set(head.headers());
        finish(context, request, response);
    }

    private void send(ChannelHandlerContext context, HttpRequest request, EdgeChunk chunk) {
        Container container = chunk.description().container();
        String tag = "\"" + chunk.id() + "\"";
        ByteRange range = ByteRange.of(request, tag, chunk.header().length());
        HttpResponse head = head(request, range, container.mimeType(), tag, IMMUTABLE);
        if (isBodiless(request, head)) {
            DefaultFullHttpResponse response =
                    new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, head.status(), Unpooled.EMPTY_BUFFER);
            response.headers().set(head.headers());
            finish(context, request, response);
            return;
        }
        requests.begin();
        // Sends the header in a separate TLS record. If it shared a record with the payload, the payload would have to
        // be copied.
        context.writeAndFlush(head);
        new ChunkSending(context, gate, counters, viewer, chunk, range, () -> requests.end(context, request)).next();
    }

    private static HttpResponse head(HttpRequest request, ByteRange range, String type, String tag, String caching) {
        boolean isKnown = isKnown(request, tag);
        HttpResponse head = new DefaultHttpResponse(
                HttpVersion.HTTP_1_1,
                isKnown ? HttpResponseStatus.NOT_MODIFIED : HttpResponseStatus.valueOf(range.status()));
        HttpHeaders headers = head.headers();
        if (!isKnown) {
            headers.set(HttpHeaderNames.CONTENT_TYPE, type);
            headers.set(HttpHeaderNames.CONTENT_LENGTH, range.length());
        }
        if (!isKnown && !range.header().isEmpty()) {
            headers.set(HttpHeaderNames.CONTENT_RANGE, range.header());
        }
        if (caching.equals(IMMUTABLE)) {
            headers.set(HttpHeaderNames.ACCEPT_RANGES, HttpHeaderValues.BYTES);
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
        return request.method().equals(HttpMethod.HEAD)
                || head.status().equals(HttpResponseStatus.NOT_MODIFIED)
                || head.status().equals(HttpResponseStatus.REQUESTED_RANGE_NOT_SATISFIABLE);
    }

    private void finish(ChannelHandlerContext context, HttpRequest request, HttpResponse response) {
        HttpReplies.setConnection(response, request, !HttpUtil.isKeepAlive(request));
        requests.endWhen(context, request, context.writeAndFlush(response));
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof IdleStateEvent) {
            LOG.debug(
                    "Closing idle connection of viewer {}",
                    HostPort.of(context.channel().remoteAddress()));
            context.close();
        }
        context.fireUserEventTriggered(event);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        ConnectionFailures.close(context, cause, LOG);
    }
}
