package io.rocketbufs.rbmq.client;

import io.rocketbufs.rocketnet.TransportException;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * The replies of one client to one requester: a small buffer, and a bounded backlog in memory for replies made while
 * the buffer is full. The backlog is needed because a responder handles all requests of a transfer before its worker
 * can send the first reply.
 *
 * <pre>
 *           +---not used for a while------------&gt; IDLE
 *   open ---+---the requester has left----------&gt; LEFT
 *           +---the broker refused the inbox----&gt; REFUSED
 *           +---lost, and nothing is kept-------&gt; LOST
 * </pre>
 *
 * While a connection is replaced, the output remains open if the publisher keeps unconfirmed messages. The requester's
 * inbox exists only as long as the requester's connection.
 *
 * <p>A refused output is kept until it is idle, so that further replies do not announce the inbox again.
 *
 * <p><b>Thread-safety:</b> any thread. This object's lock is acquired before the topic's lock, never after it.
 */
final class ReplyOutput {
    private static final long MILLI_NS = 1_000_000;

    private enum End {
        IDLE,
        LEFT,
        REFUSED,
        LOST
    }

    private final ReplySettings settings;
    private final ReplyBacklog memory;
    private final LongAdder droppedCount;
    private final Consumer<ReplyOutput> onEnded;

    // Guarded by this object's lock.
    private final Queue<Waiting> backlog = new ArrayDeque<>();
    private long backlogLength;
    private TopicPublisher topic;
    private CompletableFuture<Void> emptied = CompletableFuture.completedFuture(null);
    private long lastNs = System.nanoTime();
    /** True when the broker has reported whether the requester is connected. */
    private boolean known;
    /** Null while this output is open. */
    private End end;

    /** A reply in the backlog, with copies of its content. */
    private record Waiting(Headers headers, byte[] payload) {
        private long length() {
            return (long) headers.encodedLength() + payload.length + ReplyBacklog.OVERHEAD;
        }
    }

    /**
     * Creates an output that must be {@linkplain #open opened}.
     *
     * @param memory holds the backlogs of all requesters
     * @param droppedCount counts the replies that are dropped because the requester has left, the connection was lost,
     *     or the inbox was refused
     * @param onEnded called without the lock when this output need no longer be kept
     */
    ReplyOutput(ReplySettings settings, ReplyBacklog memory, LongAdder droppedCount, Consumer<ReplyOutput> onEnded) {
        this.settings = settings;
        this.memory = memory;
        this.droppedCount = droppedCount;
        this.onEnded = onEnded;
    }

    /**
     * Announces the inbox. Returns false if the publisher is closed, its connection is lost, or too many control
     * messages are queued.
     */
    synchronized boolean open(Publisher publisher, String inbox) {
        try {
            topic = publisher.inbox(inbox, this::onBackPressure, new TopicListener() {
                @Override
                public void onInterest(boolean isThere) {
                    ReplyOutput.this.onInterest(isThere);
                }

                @Override
                public void onRefused(TransportException refusal) {
                    end(End.REFUSED);
                }

                @Override
                public void onLost() {
                    end(End.LOST);
                }
            });
            return topic != null;
        } catch (TransportException e) {
            return false; // a later reply tries again
        }
    }

    /**
     * Publishes a reply or adds it to the backlog. A reply to a requester that has left is dropped.
     *
     * @param headers headers that the caller must not change after this call
     * @return the result; null when this output has ended because it was idle or its connection was lost, so that
     *     another output can take its place
     */
    synchronized PublishResult send(Headers headers, byte[] payload) {
        if (end != null) {
            return sendAfterEnd();
        }
        lastNs = System.nanoTime();
        if (backlog.isEmpty()) {
            PublishResult result = topic.tryPublish(headers, payload);
            if (result != PublishResult.NO_SPACE) {
                return result;
            }
        }
        Waiting waiting = new Waiting(headers, payload.clone());
        if (!memory.take(backlogLength, waiting.length())) {
            return PublishResult.NO_SPACE;
        }
        if (backlog.isEmpty()) {
            emptied = new CompletableFuture<>();
        }
        backlog.add(waiting);
        backlogLength += waiting.length();
        return PublishResult.PUBLISHED;
    }

    private PublishResult sendAfterEnd() {
        return switch (end) {
            case IDLE, LOST -> null;
            case LEFT -> {
                droppedCount.increment();
                yield PublishResult.PUBLISHED;
            }
            case REFUSED -> PublishResult.REFUSED;
        };
    }

    /**
     * Ends this output if the broker refuses the inbox, or the connection is lost before the broker answers.
     *
     * @param onRefused receives the broker's refusal
     */
    void watch(Consumer<TransportException> onRefused) {
        topic().announced().whenComplete((nothing, failure) -> {
            if (failure instanceof TransportException known && known.code() == TransportException.Code.REFUSED) {
                end(End.REFUSED);
                onRefused.accept(known);
            } else if (failure != null) {
                end(End.LOST);
            }
        });
    }

    private synchronized TopicPublisher topic() {
        return topic;
    }

    /** Called on the worker with true when there is no space, and with false when there is space again. */
    private void onBackPressure(boolean on) {
        CompletableFuture<Void> done = null;
        synchronized (this) {
            if (on || end != null) {
                return;
            }
            while (!backlog.isEmpty() && publishFirst()) {
                Waiting sent = backlog.remove();
                backlogLength -= sent.length();
                memory.release(sent.length());
            }
            if (backlog.isEmpty()) {
                done = emptied;
            }
        }
        if (done != null) {
            done.complete(null);
        }
    }

    /**
     * Publishes the first reply in the backlog. Returns false if there is no space; the worker is then called again.
     */
    private boolean publishFirst() {
        Waiting first = backlog.element();
        PublishResult result = topic.tryPublish(first.headers(), first.payload());
        if (result != PublishResult.NO_SPACE && result != PublishResult.PUBLISHED) {
            droppedCount.increment();
        }
        return result != PublishResult.NO_SPACE;
    }

    /** Called on the worker when the broker reports whether the requester is subscribed to its inbox. */
    private void onInterest(boolean isThere) {
        if (isThere) {
            known();
        } else {
            end(End.LEFT);
        }
    }

    private synchronized void known() {
        known = true;
    }

    /**
     * Ends this output if its last reply is older than the idle timeout. If replies are unconfirmed, asks the broker to
     * confirm them instead, so that a later call succeeds. Removes a refused output after the same time.
     */
    void retire() {
        if (isForgettable()) {
            onEnded.accept(this);
        } else if (topic().unconfirmedCount() > 0) {
            topic().output().flush();
        } else {
            end(End.IDLE);
        }
    }

    /**
     * Returns true if this output has ended and can be removed. A refused output must be kept until it is idle. An
     * output whose requester left while it was being opened is removed only here.
     */
    private synchronized boolean isForgettable() {
        return end != null && (end != End.REFUSED || isIdle());
    }

    private boolean isIdle() {
        return backlog.isEmpty() && System.nanoTime() - lastNs >= settings.idleTimeoutMs() * MILLI_NS;
    }

    /** Ends this output and drops the replies in its backlog. The topic is closed without holding the lock. */
    private void end(End why) {
        synchronized (this) {
            if (end != null || why == End.IDLE && !isIdle()) {
                return;
            }
            end = why;
            droppedCount.add(backlog.size());
            if (!known && why != End.IDLE) {
                // The broker has discarded or will discard the published replies. Otherwise, the number of replies that
                // have arrived is unknown.
                droppedCount.add(topic.publishedCount());
            } else if (why == End.LOST) {
                droppedCount.add(topic.unconfirmedCount() + topic.droppedCount());
            }
            memory.release(backlogLength);
            backlog.clear();
            backlogLength = 0;
        }
        emptied().complete(null);
        topic().close();
        if (why != End.REFUSED) {
            onEnded.accept(this);
        }
    }

    private synchronized CompletableFuture<Void> emptied() {
        return emptied;
    }

    /** Returns a future that completes when the broker has consumed all replies so far, or will never do so. */
    CompletableFuture<Void> flush() {
        return emptied().thenCompose(nothing -> topic().output().flush()).exceptionally(failure -> null);
    }
}
