package io.rocketbufs.livestream.edge;

import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.timeout.IdleStateHandler;
import io.rocketbufs.livestream.EdgeSettings;
import io.rocketbufs.web.DateHeader;
import io.rocketbufs.web.MetricsAccess;
import io.rocketbufs.web.TextCompressor;
import io.rocketbufs.web.TlsIdentity;
import io.rocketbufs.web.TooManyConnections;
import io.rocketbufs.web.WebServer;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Where an edge's viewers come.
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
     * Listens.
     *
     * @throws io.rocketbufs.rocketnet.TransportException when the address cannot be used; then nothing stays open
     */
    static EdgeServer open(Edge edge, EdgePages pages, TlsIdentity identity, int threads) {
        EdgeSettings settings = edge.settings();
        WebServer server = WebServer.overTls(
                "livestream-edge", threads, settings.maxConnections(), edge.counters().refusals, identity);
        MetricsAccess access = new MetricsAccess(settings.metricsToken(), "livestream.metrics.token");
        try {
            Consumer<ChannelPipeline> viewer = pipeline -> {
                WriteGate gate = new WriteGate();
                pipeline.addFirst(gate);
                pipeline.addLast(new HttpServerCodec());
                pipeline.addLast(new DateHeader());
                pipeline.addLast(new TextCompressor());
                // Behind that, so that a request of which a byte comes now and then is nothing that happens.
                pipeline.addLast(new IdleStateHandler(0, 0, settings.idleTimeoutMs(), TimeUnit.MILLISECONDS));
                pipeline.addLast(new ViewerConnection(edge.streams(), pages, access, edge.counters(), gate));
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
