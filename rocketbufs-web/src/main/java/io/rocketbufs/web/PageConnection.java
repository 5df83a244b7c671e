package io.rocketbufs.web;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.timeout.IdleStateEvent;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A handler of one client's connection to a {@link PageServer}.
 *
 * <p><b>Thread-safety:</b> confined to the connection's thread.
 */
final class PageConnection extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(PageConnection.class);

    private final Function<PageRequest, CompletionStage<Page>> pages;
    private final PageThreads threads;
    private final WaitingConnections waiting;
    private final RequestQueue requests =
            new RequestQueue(List.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.POST), this::answer);

    PageConnection(
            Function<PageRequest, CompletionStage<Page>> pages, PageThreads threads, WaitingConnections waiting) {
        this.pages = pages;
        this.threads = threads;
        this.waiting = waiting;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        waiting.open(context.channel());
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        requests.take(context, message);
    }

    private void answer(ChannelHandlerContext context, HttpRequest request) {
        PageRequest asked = PageRequest.of(request);
        if (asked == null) {
            requests.refuse(context, request, Page.text(400, "malformed URL"));
            return;
        }
        requests.begin();
        waiting.begin(context.channel());
        threads.makeLater(context, () -> pages.apply(asked), page -> {
            waiting.end(context.channel());
            requests.send(context, request, page);
        });
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
