package io.rocketbufs.web;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.timeout.IdleStateHandler;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

/**
 * A server of pages over HTTP or HTTPS, for the admin port of a program. A page that changes something requires the
 * method POST, which the creator of the page must check. One thread serves all connections. A few additional threads,
 * which exist only while they are needed, create the pages.
 *
 * <p><b>Thread-safety:</b> any thread may use it. <b>Ownership:</b> owns its sockets and threads.
 */
public final class PageServer implements AutoCloseable {
    private static final int MAX_CONNECTIONS = 256;
    /** Maximum number of additional connections while other connections are being closed to make room for them. */
    private static final int SPARE_CONNECTIONS = 64;
    /** Time in seconds after which a connection is closed if no complete request has arrived on it. */
    private static final long IDLE_S = 30;

    private final WebServer server;
    private final PageThreads threads;
    private final InetSocketAddress address;

    private PageServer(WebServer server, PageThreads threads, InetSocketAddress address) {
        this.server = server;
        this.threads = threads;
        this.address = address;
    }

    /**
     * Starts listening on an address.
     *
     * @param threadName name of all its threads
     * @param key configuration key of the address, named in error messages
     * @param identity certificate for HTTPS; null for plain HTTP
     * @param pages creates a page; called on a few threads, and may block briefly
     * @throws io.rocketbufs.rocketnet.TransportException if the address cannot be used; all resources are closed in
     *     this case
     */
    public static PageServer open(
            String threadName,
            InetSocketAddress address,
            String key,
            TlsIdentity identity,
            Function<PageRequest, CompletionStage<Page>> pages) {
        WebServer server = identity == null
                ? WebServer.plain(threadName, 1, MAX_CONNECTIONS + SPARE_CONNECTIONS, new LongAdder())
                : WebServer.overTls(threadName, 1, MAX_CONNECTIONS + SPARE_CONNECTIONS, new LongAdder(), identity);
        PageThreads threads = new PageThreads(threadName);
        WaitingConnections waiting = new WaitingConnections(MAX_CONNECTIONS);
        try {
            InetSocketAddress bound = server.listen(
                    address,
                    key,
                    pipeline -> begin(pipeline, new PageConnection(pages, threads, waiting)),
                    TooManyConnections::begin);
            return new PageServer(server, threads, bound);
        } catch (RuntimeException | Error e) {
            threads.close();
            server.close();
            throw e;
        }
    }

    private static void begin(ChannelPipeline pipeline, PageConnection connection) {
        // A pooled allocator would retain megabytes of memory for pages that are requested only occasionally.
        pipeline.channel().config().setAllocator(UnpooledByteBufAllocator.DEFAULT);
        pipeline.addLast(new HttpServerCodec())
                .addLast(new DateHeader())
                // Placed after the codec, so that a request that arrives byte by byte does not count as activity.
                .addLast(new IdleStateHandler(0, 0, IDLE_S, TimeUnit.SECONDS))
                .addLast(connection);
    }

    /** Returns the bound address, with the actual port if port 0 was requested. */
    public InetSocketAddress address() {
        return address;
    }

    /** Closes all connections. Idempotent. */
    @Override
    public void close() {
        threads.close();
        server.close();
    }
}
