package io.rocketbufs.web;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.DecoderException;
import java.io.IOException;
import org.slf4j.Logger;

/** Logs why a connection failed: as a warning only what this server may have caused. */
public final class ConnectionFailures {
    private ConnectionFailures() {}

    /** Logs what was thrown on a connection, and closes it. */
    public static void close(ChannelHandlerContext context, Throwable cause, Logger log) {
        if (cause instanceof IOException || cause instanceof DecoderException) {
            log.debug("Connection of {}: {}", context.channel().remoteAddress(), cause.toString());
        } else {
            log.warn("Connection of {} failed", context.channel().remoteAddress(), cause);
        }
        context.close();
    }
}
