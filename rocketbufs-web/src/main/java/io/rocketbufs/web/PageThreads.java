package io.rocketbufs.web;

import io.netty.channel.ChannelHandlerContext;
import io.rocketbufs.text.HostPort;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A few threads that create pages. A page whose creation blocks delays only the connection that requested it. Idle
 * threads end.
 *
 * <p><b>Thread-safety:</b> any thread may use it. <b>Ownership:</b> owns its threads.
 */
public final class PageThreads implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PageThreads.class);
    private static final int MAX_THREADS = 8;
    /** Maximum number of requests that wait for a thread; further requests are answered immediately with status 503. */
    private static final int MAX_WAITING = 256;

    private static final long KEEP_S = 10;

    private final ThreadPoolExecutor threads;

    /** Creates an instance that has not started any threads. */
    public PageThreads(String threadName) {
        threads = new ThreadPoolExecutor(
                MAX_THREADS, MAX_THREADS, KEEP_S, TimeUnit.SECONDS, new LinkedBlockingQueue<>(MAX_WAITING), task -> {
                    Thread made = new Thread(task, threadName);
                    made.setDaemon(true);
                    return made;
                });
        threads.allowCoreThreadTimeOut(true);
    }

    /**
     * Creates a page and passes it to the connection's thread. If too many requests are waiting, the page has status
     * 503.
     *
     * @param page creates the page, and may block; not called if the connection is closed. An exception results in a
     *     page with status 500
     * @param then receives the page, even if the connection is closed; not called after this object or the connection's
     *     server has been closed
     */
    public void make(ChannelHandlerContext context, Supplier<Page> page, Consumer<Page> then) {
        makeLater(context, () -> CompletableFuture.completedFuture(page.get()), then);
    }

    /**
     * Creates a page like {@link #make}, and passes it on when its future completes. No thread waits for the future.
     *
     * @param page creates the page; a future that completes exceptionally results in a page with status 500
     */
    public void makeLater(
            ChannelHandlerContext context, Supplier<? extends CompletionStage<Page>> page, Consumer<Page> then) {
        try {
            threads.execute(() -> begin(context, page)
                    .whenComplete(
                            (made, failure) -> pass(failure == null ? made : reportFailure(failure), context, then)));
        } catch (RejectedExecutionException e) {
            if (!threads.isShutdown()) {
                pass(Page.text(503, "too many requests are waiting; try again later"), context, then);
                return;
            }
            LOG.debug(
                    "Cannot create a page for {}: page creation has stopped",
                    HostPort.of(context.channel().remoteAddress()));
            context.close();
        }
    }

    private static void pass(Page made, ChannelHandlerContext context, Consumer<Page> then) {
        try {
            context.executor().execute(() -> then.accept(made));
        } catch (RejectedExecutionException e) {
            LOG.debug(
                    "Cannot send a page to {}: the server has closed",
                    HostPort.of(context.channel().remoteAddress()));
        }
    }

    private static CompletionStage<Page> begin(
            ChannelHandlerContext context, Supplier<? extends CompletionStage<Page>> page) {
        if (!context.channel().isActive()) {
            return CompletableFuture.completedFuture(Page.text(503, "the connection is closed"));
        }
        try {
            return page.get();
        } catch (Throwable e) {
            // Errors are also caught, because without a response the connection would wait until its idle timeout.
            return CompletableFuture.failedFuture(e);
        }
    }

    private static Page reportFailure(Throwable failure) {
        LOG.warn("Cannot create a page", failure instanceof CompletionException ? failure.getCause() : failure);
        return Page.text(500, "the page could not be created; see the server's log for the reason");
    }

    /** Stops creating pages. Idempotent. */
    @Override
    public void close() {
        threads.shutdown();
    }
}
