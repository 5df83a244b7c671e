package io.rocketbufs.livestream.ingest;

import io.netty.channel.ChannelHandlerContext;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * A queue of messages that arrived on a connection but could not be handled immediately. While the queue is not empty,
 * no more data is read from the connection.
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
     * Creates an empty queue.
     *
     * @param taker handles a message, or returns false if the message currently cannot be handled; does not acquire
     *     ownership of the message
     */
    Backlog(Predicate<Object> taker) {
        this.taker = taker;
    }

    /** Acquires ownership of an arriving message, and handles or queues it. */
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

    /** Stops handling messages until {@link #resume} is called. */
    void pause() {
        paused = true;
    }

    /** Resumes handling messages. */
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

    /**
     * Closes the queue and runs an action after all queued messages have been handled. No more messages may be added.
     */
    void closeWhenDrained(Runnable then) {
        if (waiting.isEmpty()) {
            close();
            then.run();
        } else {
            onDrained = then;
        }
    }

    /** Discards all current and future messages. */
    void close() {
        closed = true;
        while (!waiting.isEmpty()) {
            ReferenceCountUtil.release(waiting.remove());
        }
    }
}
