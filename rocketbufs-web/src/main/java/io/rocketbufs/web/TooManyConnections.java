package io.rocketbufs.web;

import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.TimeUnit;

/**
 * A handler for a connection beyond the connection limit. It sends status 503 to the client and closes the connection.
 *
 * <p><b>Thread-safety:</b> confined to the connection's thread.
 */
public final class TooManyConnections extends ChannelInboundHandlerAdapter {
    private static final long TIME_LIMIT_MS = 5000;
    private boolean answered;

    private TooManyConnections() {}

    /** Prepares the pipeline of an HTTP connection. */
    public static void begin(ChannelPipeline pipeline) {
        pipeline.addLast(new HttpServerCodec()).addLast(new DateHeader()).addLast(new TooManyConnections());
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        context.executor().schedule(() -> context.close(), TIME_LIMIT_MS, TimeUnit.MILLISECONDS);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        try {
            if (message instanceof HttpRequest request && !answered) {
                answered = true;
                Page page = Page.text(503, "too many connections; try again later");
                HttpReplies.send(context, request, page, true).addListener(ChannelFutureListener.CLOSE);
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }
}
