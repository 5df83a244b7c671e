package io.rocketbufs.livestream.ingest;

import io.netty.channel.ChannelHandlerContext;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * What has arrived on a connection and could not be dealt with at once. While there is something, nothing more is read.
 *
 * <p><b>Thread-safety:</b> the connection's thread.
 */
final class Backlog {
    private static final long RETRY_MS = 2;

    private final Predicate<Object> taker;
    private final Deque<Object> waiting = new ArrayDeque<>();
    private boolean retrying;
    private boolean paused;
    private boolean closed;
    private Runnable onDrained;

    /**
     * Hands on what comes.
     *
     * @param taker deals with something, or says that it cannot now; does not own it
     */
    Backlog(Predicate<Object> taker) {
        this.taker = taker;
    }

    /** Takes over something that has arrived. */
    void add(ChannelHandlerContext context, Object something) {
        if (closed) {
            ReferenceCountUtil.release(something);
            return;
        }
        waiting.add(something);
        if (!retrying) {
            drain(context);
        }
    }

    /** Hands on nothing until {@link #resume}. */
    void pause() {
        paused = true;
    }

    /** Hands on again. */
    void resume(ChannelHandlerContext context) {
        paused = false;
        if (!retrying) {
            drain(context);
        }
    }

    private void drain(ChannelHandlerContext context) {
        retrying = false;
        while (!waiting.isEmpty() && !paused) {
            if (!taker.test(waiting.peek())) {
                if (closed) {
                    return;
                }
                retrying = true;
                context.channel().config().setAutoRead(false);
                context.executor().schedule(() -> drain(context), RETRY_MS, TimeUnit.MILLISECONDS);
                return;
            }
            if (!closed) {
                ReferenceCountUtil.release(waiting.remove());
            }
        }
        context.channel().config().setAutoRead(!paused);
        if (onDrained != null && waiting.isEmpty()) {
            close();
            onDrained.run();
        }
    }

    /** Nothing more comes: closes when what has come has been dealt with, and runs something then. */
    void closeWhenDrained(Runnable then) {
        if (waiting.isEmpty()) {
            close();
            then.run();
        } else {
            onDrained = then;
        }
    }

    /** Forgets everything, now and later. */
    void close() {
        closed = true;
        while (!waiting.isEmpty()) {
            ReferenceCountUtil.release(waiting.remove());
        }
    }
}
