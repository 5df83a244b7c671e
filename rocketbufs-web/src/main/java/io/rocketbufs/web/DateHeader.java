package io.rocketbufs.web;

import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.DateFormatter;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import java.util.Date;

/**
 * A handler that adds the {@code Date} header to every response (RFC 9110, 6.6.1).
 *
 * <p><b>Thread-safety:</b> thread-safe, because it is stateless.
 */
@Sharable
public final class DateHeader extends ChannelOutboundHandlerAdapter {
    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        if (message instanceof HttpResponse response
                && response.status().codeClass() != HttpStatusClass.INFORMATIONAL) {
            response.headers().set(HttpHeaderNames.DATE, DateFormatter.format(new Date()));
        }
        context.write(message, promise);
    }
}
