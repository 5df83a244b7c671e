package io.rocketbufs.delivery;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.memory.Vecs;
import io.rocketbufs.options.SubscribeOptions;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.wire.ImmediateLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The input buffers of one connection, by the application's id and by tag.
 *
 * <p><b>Thread-safety:</b> buffers come and go under a lock, from any thread; arrivals find them by tag without one, on
 * the worker.
 */
public final class Inputs {
    private final Endpoint endpoint;
    private final MemoryPool pool;
    private final InputSink sink;
    private final Map<Integer, InputBuffer> byId = new HashMap<>();
    private final List<InputBuffer> dirty = new ArrayList<>();
    private volatile InputBuffer[] byTag = new InputBuffer[8];
    private int firstFreeTag;
    private boolean closed;

    Inputs(Endpoint endpoint, MemoryPool pool, InputSink sink) {
        this.endpoint = endpoint;
        this.pool = pool;
        this.sink = sink;
    }

    // Any thread.

    /** Asks for a buffer; {@link InputBuffer#subscribed()} tells the answer. */
    public InputBuffer subscribe(int bufferId, long capacity, SubscribeOptions options) {
        if (capacity < 1) {
            throw new IllegalArgumentException("bufferId=" + bufferId + " capacity=" + capacity + " must be positive");
        }
        InputBuffer buffer;
        synchronized (this) {
            if (closed) {
                throw new TransportException(
                        TransportException.Code.CLOSED, "the connection to " + endpoint.peer() + " is closed");
            }
            if (byId.containsKey(bufferId)) {
                throw new IllegalStateException("bufferId=" + bufferId + " is subscribed to already");
            }
            int tag = freeTag();
            Region region = pool.allocate(capacity);
            try {
                buffer = new InputBuffer(endpoint, bufferId, tag, region, capacity, options.transferLimit());
            } catch (RuntimeException e) {
                region.release();
                throw e;
            }
            setTag(tag, buffer);
            byId.put(bufferId, buffer);
        }
        try {
            endpoint.controls().subscribe(buffer, options);
        } catch (RuntimeException e) {
            // The peer has not heard of it.
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
     * The buffer of an id.
     *
     * @throws IllegalArgumentException when there is none
     */
    public synchronized InputBuffer get(int bufferId) {
        InputBuffer buffer = byId.get(bufferId);
        if (buffer == null) {
            throw new IllegalArgumentException("bufferId=" + bufferId + " is not subscribed to");
        }
        return buffer;
    }

    /** All buffers. */
    public synchronized List<InputBuffer> all() {
        return List.copyOf(byId.values());
    }

    /** Gives a buffer up: what still arrives is dropped, and its id can be used again at once. */
    public InputBuffer unsubscribe(int bufferId) {
        InputBuffer buffer;
        synchronized (this) {
            buffer = get(bufferId);
            byId.remove(bufferId);
        }
        buffer.giveUp();
        if (endpoint.worker().inWorker()) {
            sayFarewell(buffer);
        } else {
            endpoint.worker().execute(() -> sayFarewell(buffer));
        }
        return buffer;
    }

    /** Gives all buffers up. */
    public void unsubscribeAll() {
        for (InputBuffer buffer : all()) {
            unsubscribe(buffer.bufferId());
        }
    }

    // The worker.

    void place(int immediate, int length, Vecs into) {
        byTag(ImmediateLayout.tag(immediate)).place(length, into);
    }

    void arrived(int immediate, int length) {
        InputBuffer buffer = byTag(ImmediateLayout.tag(immediate));
        if (buffer.arrived(length, ImmediateLayout.hasMore(immediate), sink)) {
            dirty.add(buffer);
        }
    }

    /** Lets spliced data go on: all subscriptions are made ready before the first is sent to, for larger transfers. */
    void arrivalsEnd() {
        if (dirty.isEmpty()) {
            return;
        }
        for (int i = 0; i < dirty.size(); i++) {
            dirty.get(i).announce();
        }
        for (int i = 0; i < dirty.size(); i++) {
            dirty.get(i).flush();
        }
        dirty.clear();
    }

    void onSubscribed(int tag, boolean overwriting, RemoteAccess word) {
        InputBuffer buffer = byTag(tag);
        String mismatch = buffer.onSubscribed(overwriting, word);
        if (mismatch != null) {
            onEnd(tag, mismatch);
        } else if (buffer.isGivenUp()) {
            sayFarewell(buffer);
        }
    }

    void onRefused(int tag, String reason) {
        InputBuffer buffer = byTag(tag);
        if (buffer.isAgreed()) {
            throw new TransportException(
                    TransportException.Code.PROTOCOL,
                    "buffer " + buffer.bufferId() + " was refused after it was agreed to");
        }
        forget(buffer);
        freeTag(buffer);
        buffer.onEnd(TransportException.Code.REFUSED, reason, sink);
        buffer.onQuiet();
    }

    /** The sender ends a buffer; it is given up towards the sender, and stays readable. */
    void onEnd(int tag, String failure) {
        InputBuffer buffer = byTag(tag);
        buffer.onEnd(TransportException.Code.REFUSED, failure, sink);
        if (buffer.isSpliced()) {
            forget(buffer);
        }
        sayFarewell(buffer);
    }

    /** Unsubscribes, once: both sides may end a buffer at the same time, and the sender has to know it first. */
    private void sayFarewell(InputBuffer buffer) {
        if (buffer.claimFarewell()) {
            endpoint.controls().unsubscribe(buffer.tag());
        }
    }

    void onUnsubscribed(int tag) {
        InputBuffer buffer = byTag(tag);
        if (!buffer.isFarewellSaid()) {
            throw new TransportException(
                    TransportException.Code.PROTOCOL, "buffer " + buffer.bufferId() + " was given back unasked");
        }
        freeTag(buffer);
        buffer.onQuiet();
    }

    void onGap(int tag, long position, long lost) {
        byTag(tag).onGap(position, lost, sink);
    }

    void onStarving(int tag, long position) {
        byTag(tag).onStarving(position);
    }

    void onFlush(int tag, long position) {
        byTag(tag).onFlush(position);
    }

    /** Time passes: who held a sender up when nobody could help it may be helped now. */
    void tick() {
        for (InputBuffer buffer : byTag) {
            if (buffer != null) {
                buffer.relieveSender();
            }
        }
    }

    /** The connection has ended: nothing is written any more. */
    void onClosed(TransportException failure) {
        synchronized (this) {
            closed = true;
        }
        endpoint.guarded(this::arrivalsEnd);
        for (InputBuffer buffer : byTag) {
            if (buffer != null) {
                freeTag(buffer);
                if (buffer.isSpliced() || !buffer.isAgreed()) {
                    forget(buffer);
                }
                endpoint.guarded(() -> buffer.onEnd(failure.code(), failure.getMessage(), sink));
                buffer.onQuiet();
            }
        }
    }

    private InputBuffer byTag(int tag) {
        InputBuffer[] tags = byTag;
        InputBuffer buffer = tag >= 0 && tag < tags.length ? tags[tag] : null;
        if (buffer == null) {
            throw new TransportException(TransportException.Code.PROTOCOL, "nothing is subscribed under tag " + tag);
        }
        return buffer;
    }

    private synchronized void forget(InputBuffer buffer) {
        byId.remove(buffer.bufferId(), buffer);
    }

    private synchronized void freeTag(InputBuffer buffer) {
        setTag(buffer.tag(), null);
    }

    /** The store to the volatile field publishes the element to the worker, which loads the field first. */
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
