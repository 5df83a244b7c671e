package io.rocketbufs.livestream.ingest;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.handler.timeout.IdleStateEvent;
import io.rocketbufs.text.HostPort;
import io.rocketbufs.web.ConnectionFailures;
import java.net.InetSocketAddress;
import java.util.List;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SNIServerName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A handler of the connection of a source that sends MPEG-TS directly over TLS. Because no response can be sent, a
 * refused source is disconnected.
 *
 * <p><b>Thread-safety:</b> the connection's thread. <b>Source:</b> RocketBufs 5, "send data over TLS-encrypted TCP
 * connections".
 */
final class RawIngest extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(RawIngest.class);
    /** Marks the end of the stream in the backlog. */
    private static final Object END = new Object();

    private final IngestTargets targets;
    private final String portsStream;
    private final Backlog backlog = new Backlog(this::take);
    private Body body;
    private ChannelHandlerContext context;

    /**
     * Creates the handler of a connection.
     *
     * @param portsStream name of the port's stream; if empty, the server name that the source requests determines it
     */
    RawIngest(IngestTargets targets, String portsStream) {
        this.targets = targets;
        this.portsStream = portsStream;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext told, Object event) {
        if (event instanceof SslHandshakeCompletionEvent handshake && handshake.isSuccess()) {
            guarded(this::begin);
        } else if (event instanceof SslCloseCompletionEvent end && end.isSuccess()) {
            // TLS authenticates this close notification, so an attacker on the network cannot end the stream.
            backlog.add(context, END);
        } else if (event instanceof IdleStateEvent) {
            told.close();
        }
        told.fireUserEventTriggered(event);
    }

    private void begin() {
        String[] labels = serverName().split("\\.");
        String stream = portsStream.isEmpty() ? labels[0] : portsStream;
        int keyAt = portsStream.isEmpty() ? 1 : 0;
        targets.admit(stream, keyAt < labels.length ? labels[keyAt] : "");
        InetSocketAddress peer = (InetSocketAddress) context.channel().remoteAddress();
        body = targets.endless(stream, peer.getAddress().getHostAddress());
    }

    /** Returns the server name that the source requests, or an empty string if it requests none. */
    private String serverName() {
        SslHandler tls = context.pipeline().get(SslHandler.class);
        List<SNIServerName> names = ((ExtendedSSLSession) tls.engine().getSession()).getRequestedServerNames();
        return names.isEmpty() ? "" : ((SNIHostName) names.get(0)).getAsciiName();
    }

    @Override
    public void channelRead(ChannelHandlerContext reading, Object message) {
        backlog.add(context, message);
    }

    private boolean take(Object message) {
        if (body == null) {
            return true;
        }
        boolean[] taken = {true};
        guarded(() -> taken[0] = message == END ? end() : body.take((ByteBuf) message));
        return taken[0];
    }

    private boolean end() {
        boolean ended = body.end();
        if (ended) {
            body = null;
            context.close();
        }
        return ended;
    }

    private void guarded(Runnable action) {
        try {
            action.run();
        } catch (IngestRefusal e) {
            targets.countRefusal(body, e);
            LOG.warn("Refused source {}: {}", HostPort.of(context.channel().remoteAddress()), e.getMessage());
            abort();
            context.close();
        }
    }

    private void abort() {
        if (body != null) {
            body.abort();
            body = null;
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext inactive) {
        backlog.closeWhenDrained(this::cutOff);
        inactive.fireChannelInactive();
    }

    private void cutOff() {
        if (body != null) {
            abort();
            LOG.info("Source {} was cut off", HostPort.of(context.channel().remoteAddress()));
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext failed, Throwable cause) {
        ConnectionFailures.close(failed, cause, LOG);
    }
}
