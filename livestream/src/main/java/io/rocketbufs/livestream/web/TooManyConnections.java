package io.rocketbufs.livestream.web;

import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.TimeUnit;

/**
 * Tells a client that there are as many connections as there may be, and closes.
 *
 * <p><b>Thread-safety:</b> the connection's thread.
 */
public final class TooManyConnections extends ChannelInboundHandlerAdapter {
    private static final long PATIENCE_MS = 5000;
    private boolean told;

    private TooManyConnections() {}

    /** Has a client told so that speaks HTTP. */
    public static void begin(ChannelPipeline pipeline) {
        pipeline.addLast(new HttpServerCodec()).addLast(new DateHeader()).addLast(new TooManyConnections());
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        context.executor().schedule(() -> context.close(), PATIENCE_MS, TimeUnit.MILLISECONDS);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        try {
            if (message instanceof HttpRequest request && !told) {
                told = true;
                Page page = Page.text(503, "there are as many connections as there may be; come back later");
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
