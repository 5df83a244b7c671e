package io.rocketbufs.web;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.timeout.IdleStateEvent;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A handler of one client's connection to a {@link PageServer}.
 *
 * <p><b>Thread-safety:</b> the connection's thread.
 */
final class PageConnection extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(PageConnection.class);

    private final Function<PageRequest, Page> pages;
    private final PageThreads threads;
    private final RequestQueue requests =
            new RequestQueue(List.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.POST), this::answer);

    PageConnection(Function<PageRequest, Page> pages, PageThreads threads) {
        this.pages = pages;
        this.threads = threads;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        requests.take(context, message);
    }

    private void answer(ChannelHandlerContext context, HttpRequest request) {
        URI url = url(request.uri());
        if (url == null) {
            requests.refuse(context, request, Page.text(400, "malformed URL"));
            return;
        }
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        request.headers().forEach(header -> headers.putIfAbsent(header.getKey(), header.getValue()));
        PageRequest asked = new PageRequest(
                request.method().equals(HttpMethod.POST),
                url.getPath(),
                url.getRawQuery() == null ? "" : url.getRawQuery(),
                headers);
        requests.begin();
        threads.make(context, () -> pages.apply(asked), page -> requests.send(context, request, page));
    }

    /** Returns the parsed URL, or null if it is malformed or has no path. */
    private static URI url(String address) {
        try {
            URI url = new URI(address);
            return url.getPath() == null ? null : url;
        } catch (URISyntaxException e) {
            return null;
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof IdleStateEvent) {
            context.close();
        }
        context.fireUserEventTriggered(event);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        ConnectionFailures.close(context, cause, LOG);
    }
}
