package io.rocketbufs.web;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.TimeUnit;

/**
 * A delayed close after the last response. If the connection were closed while the client is still sending, the
 * response would be lost, because the kernel discards unread data on both sides. Data that the client sends during the
 * delay is discarded. Beyond a limit, no more data is read.
 *
 * <p><b>Thread-safety:</b> confined to the connection's thread.
 */
public final class LingeringClose extends ChannelInboundHandlerAdapter {
    private static final long LINGER_MS = 1000;
    private static final int MAX_DISCARDED = 256 * 1024;

    private int discarded;

    private LingeringClose() {}

    /**
     * Closes a connection after a response has been sent and a short delay has passed. Handlers receive no more
     * messages from the connection.
     */
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
