package io.rocketbufs.in;

import io.rocketbufs.buffer.CircularBuffer;
import io.rocketbufs.link.Link;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.memory.Vecs;
import io.rocketbufs.metrics.InputState;
import io.rocketbufs.options.SubscribeOptions;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.wire.ControlMessages;
import io.rocketbufs.wire.ImmediateLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * The input buffers of one connection, indexed by the application's id and by tag.
 *
 * <p><b>Thread-safety:</b> any thread may add and remove buffers, under a lock; the worker looks them up by tag without
 * a lock when data arrives.
 */
public final class Inputs {
    private final Link link;
    private final MemoryPool pool;
    private final InputSink sink;
    private final Map<Integer, InputBuffer> byId = new HashMap<>();
    /** Buffers whose outlets have data to announce. */
    private final List<InputBuffer> announcing = new ArrayList<>();

    private final Runnable passOn = this::passOn;

    private volatile InputBuffer[] byTag = new InputBuffer[8];
    private int firstFreeTag;
    private boolean closed;

    /** Creates an empty set of buffers. */
    public Inputs(Link link, MemoryPool pool, InputSink sink) {
        this.link = link;
        this.pool = pool;
        this.sink = sink;
    }

    // Any thread.

    /** Requests a subscription; {@link InputBuffer#subscribed()} completes with the answer. */
    public InputBuffer subscribe(int bufferId, long capacity, SubscribeOptions options) {
        if (capacity < 1 || capacity > Long.MAX_VALUE - options.keep()) {
            throw new IllegalArgumentException("bufferId=" + bufferId + " capacity=" + capacity + " keep="
                    + options.keep() + ": the capacity must be positive, and their sum must not overflow");
        }
        InputBuffer buffer;
        synchronized (this) {
            if (closed) {
                throw new TransportException(
                        TransportException.Code.CLOSED, "the connection to " + link.peer() + " is closed");
            }
            if (byId.containsKey(bufferId)) {
                throw new IllegalStateException("bufferId=" + bufferId + " is already subscribed to");
            }
            int tag = freeTag();
            Region region = pool.allocate(capacity + options.keep());
            try {
                buffer = new InputBuffer(link, bufferId, tag, region, capacity, options);
            } catch (RuntimeException e) {
                region.release();
                throw e;
            }
            setTag(tag, buffer);
            byId.put(bufferId, buffer);
        }
        try {
            link.request(ControlMessages.subscribe(
                    bufferId,
                    buffer.tag(),
                    capacity,
                    options.withTransferLimit(buffer.transferLimit()),
                    buffer.access()));
        } catch (RuntimeException e) {
            // The peer has not received the request.
            undo(buffer);
            throw e;
        }
        return buffer;
    }

    private synchronized void undo(InputBuffer buffer) {
        if (byTag[buffer.tag()] == buffer) {
            setTag(buffer.tag(), null);
            byId.remove(buffer.bufferId(), buffer);
            buffer.giveUp();
            buffer.onQuiet();
        }
    }

    /**
     * Returns the buffer with the given id.
     *
     * @throws IllegalArgumentException when no buffer has this id
     */
    public synchronized InputBuffer get(int bufferId) {
        InputBuffer buffer = byId.get(bufferId);
        if (buffer == null) {
            throw new IllegalArgumentException("bufferId=" + bufferId + " is not subscribed to");
        }
        return buffer;
    }

    /** Returns all buffers. */
    public synchronized List<InputBuffer> all() {
        return List.copyOf(byId.values());
    }

    /** Returns the current state of all buffers. */
    public List<InputState> states() {
        return all().stream().map(InputBuffer::state).toList();
    }

    /** Releases a buffer: data that still arrives is dropped, and the id can be used again immediately. */
    public InputBuffer unsubscribe(int bufferId) {
        InputBuffer buffer;
        synchronized (this) {
            buffer = get(bufferId);
            byId.remove(bufferId);
        }
        giveUp(buffer);
        return buffer;
    }

    private void giveUp(InputBuffer buffer) {
        buffer.giveUp();
        if (link.worker().inWorker()) {
            leave(buffer);
        } else {
            link.worker().execute(() -> leave(buffer));
        }
    }

    /** Releases all buffers. */
    public void unsubscribeAll() {
        for (InputBuffer buffer : all()) {
            // The worker may already have removed the buffer because its sender has ended it.
            forget(buffer);
            giveUp(buffer);
        }
    }

    // Events from the peer, on the worker.

    /** Determines where the bytes of an arriving write are stored; returns false if no buffer has its tag. */
    public boolean place(int immediate, int length, Vecs into) {
        InputBuffer buffer = find(ImmediateLayout.tag(immediate));
        if (buffer == null) {
            return false;
        }
        buffer.place(length, into);
        return true;
    }

    /** Called when a write has arrived; returns false if no buffer has its tag. */
    public boolean arrived(int immediate, int length) {
        InputBuffer buffer = find(ImmediateLayout.tag(immediate));
        if (buffer == null) {
            return false;
        }
        if (buffer.arrived(length, ImmediateLayout.hasMore(immediate), sink)) {
            announcing.add(buffer);
        }
        return true;
    }

    /**
     * Passes spliced data on to its readers. Makes all readers ready before the first one sends, so that more data is
     * combined into each transfer. The reports of consumption that are due as a result are sent together.
     */
    public void arrivalsEnd() {
        if (!announcing.isEmpty()) {
            link.sender().gather(passOn);
        }
    }

    private void passOn() {
        int announced = 0;
        for (int sent = 0; sent < announcing.size(); sent++) {
            // Includes arrivals that a transport reports during a send.
            for (; announced < announcing.size(); announced++) {
                announcing.get(announced).announce();
            }
            announcing.get(sent).send();
        }
        announcing.clear();
    }

    /** Called when the sender has accepted a subscription. */
    public void onSubscribed(int tag, InputTerms terms, RemoteAccess word) {
        InputBuffer buffer = byTag(tag);
        String mismatch = buffer.onSubscribed(terms, word);
        if (mismatch != null) {
            onEnd(tag, mismatch);
        } else if (buffer.isGivenUp()) {
            leave(buffer);
        }
    }

    /** Called when the sender has refused a subscription. */
    public void onRefused(int tag, String reason) {
        InputBuffer buffer = byTag(tag);
        if (buffer.life().isAgreed()) {
            throw new TransportException(
                    TransportException.Code.PROTOCOL,
                    "buffer " + buffer.bufferId() + " was refused after it had been accepted");
        }
        forget(buffer);
        freeTag(buffer);
        buffer.onEnd(TransportException.Code.REFUSED, reason, sink);
        buffer.onQuiet();
    }

    /** Called when the sender has ended a buffer gracefully at a position. */
    public void onEnd(int tag, long position) {
        InputBuffer buffer = byTag(tag);
        buffer.checkEnd(position);
        // The sender may keep data for a later subscription if its consumption is not reported. The state changes
        // before the application's callback, which may unsubscribe.
        boolean reports = buffer.life().beginsToReport();
        end(buffer, null);
        if (reports) {
            buffer.reportLast(() -> link.worker().execute(() -> {
                if (buffer.life().beginsToLeaveAfterReport()) {
                    link.answer(ControlMessages.unsubscribe(buffer.tag()));
                }
            }));
        }
    }

    /** Called when the sender has ended a buffer. Unsubscribes from it; its data stays readable. */
    public void onEnd(int tag, String failure) {
        InputBuffer buffer = byTag(tag);
        end(buffer, failure);
        leave(buffer);
    }

    private void end(InputBuffer buffer, String failure) {
        buffer.onEnd(TransportException.Code.REFUSED, failure, sink);
        if (buffer.isSpliced()) {
            forget(buffer);
        }
    }

    /**
     * Unsubscribes once, if the sender has accepted the subscription. Both sides may end a buffer at the same time. A
     * sender that waits for a report receives it before UNSUBSCRIBE, because it would otherwise not know what has been
     * consumed.
     */
    private void leave(InputBuffer buffer) {
        if (buffer.life().beginsToLeave()) {
            long consumed = buffer.isOverwriting() ? -1 : buffer.reports().leave(buffer.consumedPosition());
            if (consumed >= 0) {
                link.answer(ControlMessages.credit(buffer.tag(), consumed));
            }
            link.answer(ControlMessages.unsubscribe(buffer.tag()));
        }
    }

    /** Called when the sender will write no more data for a tag. */
    public void onUnsubscribed(int tag) {
        InputBuffer buffer = byTag(tag);
        if (!buffer.life().isLeaving()) {
            throw new TransportException(
                    TransportException.Code.PROTOCOL,
                    "buffer " + buffer.bufferId() + " was unsubscribed without a request");
        }
        freeTag(buffer);
        buffer.onQuiet();
    }

    /** Called when the sender has skipped data. */
    public void onGap(int tag, long position, long lost) {
        InputBuffer buffer = byTag(tag);
        if (buffer.onGap(position, lost, sink)) {
            announcing.add(buffer);
        }
    }

    /** Called when the sender is waiting until all data before a position has been consumed. */
    public void onStarving(int tag, long position) {
        byTag(tag).onStarving(position);
    }

    /** Called when the sender requests a report, to be sent once all data before a position has been consumed. */
    public void onFlush(int tag, long position) {
        byTag(tag).onFlush(position);
    }

    /**
     * Tries again to free memory that senders are waiting for, measures how long they wait, and returns pages of empty
     * buffers to the operating system.
     *
     * @param elapsedMs milliseconds since the last tick; 0 if this time must not be counted
     * @return true if there are buffers
     */
    public boolean tick(long elapsedMs) {
        long toReturn = CircularBuffer.RETURNED_PER_TICK;
        boolean hasBuffers = false;
        for (InputBuffer buffer : byTag) {
            if (buffer != null) {
                hasBuffers = true;
                buffer.tick(elapsedMs);
                toReturn -= toReturn > 0 ? buffer.returnPages() : 0;
            }
        }
        return hasBuffers;
    }

    /**
     * Reports the consumed positions for the last time, because the connection closes.
     *
     * @param onReported run on the worker when all reports have been sent
     */
    public void reportLast(Runnable onReported) {
        // Starts at 1, so that reports that are sent immediately cannot complete the set while the loop is adding to
        // it.
        AtomicInteger pending = new AtomicInteger(1);
        Runnable onSent = () -> {
            if (pending.decrementAndGet() == 0) {
                link.worker().execute(onReported);
            }
        };
        for (InputBuffer buffer : byTag) {
            if (buffer != null && buffer.life().isAgreed()) {
                pending.incrementAndGet();
                buffer.reportLast(onSent);
            }
        }
        if (pending.decrementAndGet() == 0) {
            onReported.run();
        }
    }

    /**
     * Called when the connection has ended and no more writes can arrive.
     *
     * @param guard runs a step whose callbacks may throw
     */
    public void onClosed(TransportException failure, Consumer<Runnable> guard) {
        synchronized (this) {
            closed = true;
        }
        guard.accept(this::arrivalsEnd);
        for (InputBuffer buffer : byTag) {
            if (buffer != null) {
                freeTag(buffer);
                if (buffer.isSpliced() || !buffer.life().isAgreed()) {
                    forget(buffer);
                }
                guard.accept(() -> buffer.onEnd(failure.code(), failure.getMessage(), sink));
                buffer.onQuiet();
            }
        }
    }

    /** Returns the failure to report when a peer uses a tag that no buffer has. */
    public TransportException unknown(int tag) {
        return new TransportException(TransportException.Code.PROTOCOL, "no input buffer has tag " + tag);
    }

    private InputBuffer find(int tag) {
        InputBuffer[] tags = byTag;
        return tag >= 0 && tag < tags.length ? tags[tag] : null;
    }

    private InputBuffer byTag(int tag) {
        InputBuffer buffer = find(tag);
        if (buffer == null) {
            throw unknown(tag);
        }
        return buffer;
    }

    private synchronized void forget(InputBuffer buffer) {
        byId.remove(buffer.bufferId(), buffer);
    }

    private synchronized void freeTag(InputBuffer buffer) {
        setTag(buffer.tag(), null);
    }

    /**
     * Sets the buffer with the given tag. The store to the volatile field publishes the element to the worker, which
     * loads the field first.
     */
    private void setTag(int tag, InputBuffer buffer) {
        InputBuffer[] tags = byTag;
        tags[tag] = buffer;
        byTag = tags;
        firstFreeTag = buffer == null ? Math.min(firstFreeTag, tag) : tag + 1;
    }

    private int freeTag() {
        InputBuffer[] tags = byTag;
        for (int tag = firstFreeTag; tag < tags.length; tag++) {
            if (tags[tag] == null) {
                return tag;
            }
        }
        byTag = Arrays.copyOf(tags, tags.length * 2);
        return tags.length;
    }
}
