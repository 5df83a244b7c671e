package io.rocketbufs.livestream.edge;

import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.timeout.IdleStateHandler;
import io.rocketbufs.livestream.EdgeSettings;
import io.rocketbufs.web.DateHeader;
import io.rocketbufs.web.TlsIdentity;
import io.rocketbufs.web.TooManyConnections;
import io.rocketbufs.web.WebServer;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * An edge's HTTPS server for viewers.
 *
 * <p><b>Thread-safety:</b> any thread. <b>Ownership:</b> owns its sockets and threads.
 */
final class EdgeServer implements AutoCloseable {
    private final WebServer server;
    private final InetSocketAddress address;

    private EdgeServer(WebServer server, InetSocketAddress address) {
        this.server = server;
        this.address = address;
    }

    /**
     * Starts listening.
     *
     * @param refusals counts the connections that are refused at the connection limit
     * @param viewers creates the request handler for a connection, given the connection's gate
     * @throws io.rocketbufs.rocketnet.TransportException if the address cannot be used; all resources are then closed
     */
    static EdgeServer open(
            EdgeSettings settings,
            TlsIdentity identity,
            int threads,
            LongAdder refusals,
            Function<WriteGate, ChannelHandler> viewers) {
        WebServer server = WebServer.overTls("livestream-edge", threads, settings.maxConnections(), refusals, identity);
        try {
            Consumer<ChannelPipeline> viewer = pipeline -> {
                WriteGate gate = new WriteGate();
                pipeline.addFirst(gate);
                pipeline.addLast(new HttpServerCodec());
                pipeline.addLast(new DateHeader());
                pipeline.addLast(new TextCompressor());
                // Placed after the codec, so that the bytes of an incomplete request do not count as activity.
                pipeline.addLast(new IdleStateHandler(0, 0, settings.idleTimeoutMs(), TimeUnit.MILLISECONDS));
                pipeline.addLast(viewers.apply(gate));
            };
            InetSocketAddress address = server.listen(
                    new InetSocketAddress(settings.host(), settings.port()),
                    "livestream.edge.port",
                    viewer,
                    TooManyConnections::begin);
            return new EdgeServer(server, address);
        } catch (RuntimeException | Error e) {
            server.close();
            throw e;
        }
    }

    InetSocketAddress address() {
        return address;
    }

    int connectionCount() {
        return server.connectionCount();
    }

    @Override
    public void close() {
        server.close();
    }
}
