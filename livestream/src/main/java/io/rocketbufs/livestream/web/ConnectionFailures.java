package io.rocketbufs.livestream.web;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.DecoderException;
import java.io.IOException;
import org.slf4j.Logger;

/** Says what went wrong on a connection: loudly only what is our fault. */
public final class ConnectionFailures {
    private ConnectionFailures() {}

    /** Closes a connection for something that was thrown. */
    public static void close(ChannelHandlerContext context, Throwable cause, Logger log) {
        if (cause instanceof IOException || cause instanceof DecoderException) {
            log.debug("Connection of {}: {}", context.channel().remoteAddress(), cause.toString());
        } else {
            log.warn("Connection of {} fails", context.channel().remoteAddress(), cause);
        }
        context.close();
    }
}
