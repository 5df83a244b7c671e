package io.rocketbufs.web;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.DecoderException;
import io.rocketbufs.text.HostPort;
import io.rocketbufs.text.Reason;
import java.io.IOException;
import org.slf4j.Logger;

/** A handler of connection failures. It logs a failure as a warning only if this server may have caused it. */
public final class ConnectionFailures {
    private ConnectionFailures() {}

    /** Logs an exception that occurred on a connection, and closes the connection. */
    public static void close(ChannelHandlerContext context, Throwable cause, Logger log) {
        if (cause instanceof IOException || cause instanceof DecoderException) {
            log.debug(
                    "Connection from {} failed: {}",
                    HostPort.of(context.channel().remoteAddress()),
                    Reason.of(cause));
        } else {
            log.warn("Connection from {} failed", HostPort.of(context.channel().remoteAddress()), cause);
        }
        context.close();
    }
}
