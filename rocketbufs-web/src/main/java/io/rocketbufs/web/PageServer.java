package io.rocketbufs.web;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.timeout.IdleStateHandler;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

/**
 * A server of read-only pages over plain HTTP, for the admin port of a program. One thread serves all connections; a
 * few others, which exist only while needed, create the pages.
 *
 * <p><b>Thread-safety:</b> any thread. <b>Ownership:</b> owns its sockets and threads.
 */
public final class PageServer implements AutoCloseable {
    private static final int MAX_CONNECTIONS = 256;
    /** A connection that receives no complete request for this long is closed. */
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
     * Listens at an address.
     *
     * @param threadName name of all its threads
     * @param key the configuration key of the address, for messages
     * @param pages creates a page; called by several threads, and may block
     * @throws io.rocketbufs.rocketnet.TransportException when the address cannot be used; in that case nothing remains
     *     open
     */
    public static PageServer open(
            String threadName, InetSocketAddress address, String key, Function<PageRequest, Page> pages) {
        WebServer server = WebServer.plain(threadName, 1, MAX_CONNECTIONS, new LongAdder());
        PageThreads threads = new PageThreads(threadName);
        try {
            InetSocketAddress bound =
                    server.listen(address, key, pipeline -> begin(pipeline, pages, threads), TooManyConnections::begin);
            return new PageServer(server, threads, bound);
        } catch (RuntimeException | Error e) {
            threads.close();
            server.close();
            throw e;
        }
    }

    private static void begin(ChannelPipeline pipeline, Function<PageRequest, Page> pages, PageThreads threads) {
        // A pooled allocator would keep megabytes for occasional pages.
        pipeline.channel().config().setAllocator(UnpooledByteBufAllocator.DEFAULT);
        pipeline.addLast(new HttpServerCodec())
                .addLast(new DateHeader())
                // Placed after the codec, so that single bytes of a request do not count as activity.
                .addLast(new IdleStateHandler(0, 0, IDLE_S, TimeUnit.SECONDS))
                .addLast(new PageConnection(pages, threads));
    }

    /** Returns the address in use, with the port chosen if 0 was requested. */
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
