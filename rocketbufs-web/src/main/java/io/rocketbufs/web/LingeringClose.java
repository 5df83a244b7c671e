package io.rocketbufs.web;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.TimeUnit;

/**
 * Closes a connection a moment after the last answer. Closing at once, while the client still sends, would lose the
 * answer: the system discards what has not been read on either side. What the client sends meanwhile is discarded, and
 * after a while no longer read.
 *
 * <p><b>Thread-safety:</b> the connection's thread.
 */
public final class LingeringClose extends ChannelInboundHandlerAdapter {
    private static final long LINGER_MS = 1000;
    private static final int MAX_DISCARDED = 256 * 1024;

    private int discarded;

    private LingeringClose() {}

    /** Closes a connection when an answer has been sent and a moment has passed. Nothing more arrives on it. */
    public static void after(ChannelHandlerContext context, ChannelFuture answer) {
        ChannelPipeline pipeline = context.pipeline();
        LingeringClose discarding = new LingeringClose();
        if (pipeline.get(TlsIdentity.HANDLER) != null) {
            pipeline.addAfter(TlsIdentity.HANDLER, null, discarding);
        } else {
            pipeline.addFirst(discarding);
        }
        context.channel().config().setAutoRead(true);
        answer.addListener(
                sent -> context.executor().schedule(() -> context.close(), LINGER_MS, TimeUnit.MILLISECONDS));
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof ByteBuf bytes) {
            discarded += bytes.readableBytes();
        }
        ReferenceCountUtil.release(message);
        if (discarded > MAX_DISCARDED) {
            context.channel().config().setAutoRead(false);
        }
    }
}
