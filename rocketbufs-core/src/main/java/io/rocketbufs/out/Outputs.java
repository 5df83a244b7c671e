package io.rocketbufs.out;

import io.rocketbufs.buffer.CircularBuffer;
import io.rocketbufs.in.InputBuffer;
import io.rocketbufs.memory.MemoryException;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.metrics.OutputState;
import io.rocketbufs.metrics.SubscriptionState;
import io.rocketbufs.metrics.SubscriptionTotals;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.DataOutStatus;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import org.jctools.maps.NonBlockingHashMapLong;

/**
 * The buffers of one output, filled by the application or spliced, indexed by the id to which connections subscribe.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
public final class Outputs {
    private static final long RETURN_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(500);

    private final int number;
    private final MemoryPool pool;
    private final BooleanSupplier inWorker;
    private final NonBlockingHashMapLong<Fanout> fanouts = new NonBlockingHashMapLong<>();
    private final NonBlockingHashMapLong<OutputBuffer> buffers = new NonBlockingHashMapLong<>();
    /** The copies of buffers that have ended or are about to end; guarded by this object's lock. */
    private final Map<Integer, Preserved> preserved = new HashMap<>();
    /** The memory of buffers that may have pages to return to the operating system. */
    private final Set<OutputMemory> touched = ConcurrentHashMap.newKeySet();

    /** The time, as {@code System.nanoTime()}, before which no pages are returned. */
    private final AtomicLong nextReturnNs = new AtomicLong(System.nanoTime());

    private boolean closed;

    /**
     * Creates an output without buffers.
     *
     * @param number distinguishes the outputs of a process in metrics
     * @param inWorker returns true on any transport's worker, which must not block
     */
    public Outputs(int number, MemoryPool pool, BooleanSupplier inWorker) {
        this.number = number;
        this.pool = pool;
        this.inWorker = inWorker;
    }

    /**
     * Creates a buffer that the application fills.
     *
     * @param sink called with the context and the status of each delivery, one at a time; null for none
     */
    public synchronized OutputBuffer create(
            int bufferId, long capacity, BufferOptions options, BiConsumer<Object, DataOutStatus> sink) {
        checkFree(bufferId);
        Region region = pool.allocate(options.memoryLength(capacity));
        OutputBuffer buffer;
        try {
            buffer = new OutputBuffer(
                    bufferId, region, capacity, options, sink, inWorker, () -> forget(bufferId), touched);
        } catch (RuntimeException | Error e) {
            region.release();
            throw e;
        }
        buffers.put(bufferId, buffer);
        fanouts.put(bufferId, buffer.fanout());
        return buffer;
    }

    /** Makes an input available as a buffer of this output, without copying. Must be called on the input's worker. */
    public Fanout splice(InputBuffer input, int bufferId, BufferOptions options) {
        Splice splice;
        synchronized (this) {
            checkFree(bufferId);
            splice = new Splice(input, bufferId, options, () -> forget(bufferId));
            input.goOnTo(splice);
            // If another thread releases the input, forget() waits for the lock, and therefore runs after this call.
            fanouts.put(bufferId, splice.fanout());
        }
        // Without a subscriber, the existing data counts as consumed.
        splice.onReleased(Long.MAX_VALUE);
        return splice.fanout();
    }

    /** Returns the application-filled buffer with the given id, or null if there is none. */
    public OutputBuffer get(int bufferId) {
        return buffers.get(bufferId);
    }

    /**
     * Ends a buffer: subscriptions receive the delivered data and then END. After that, its memory and its id are free.
     */
    public void remove(int bufferId) {
        Fanout fanout = existing(bufferId);
        OutputBuffer buffer = buffers.get(bufferId);
        if (buffer != null) {
            buffer.end();
        } else {
            fanout.end();
        }
    }

    /** Sets the origin of a buffer's data. Must be called before the first subscription to the buffer. */
    public void setOrigin(int bufferId, Origin origin) {
        existing(bufferId).demand().setOrigin(origin);
    }

    /** Records that {@code lost} bytes are missing before the next delivery. Must be called on the producing thread. */
    public void addGap(int bufferId, long lost) {
        existing(bufferId).log().appendGap(lost);
    }

    /**
     * Preserves a copy of the last bytes of a buffer that is about to end. Later subscriptions receive this copy.
     *
     * @param newest the bytes, in one or two pieces
     * @return number of bytes of memory that the copy occupies; -1 if no memory is available, or this output is closed
     */
    public long preserve(int bufferId, ByteBuffer... newest) {
        Preserved copy;
        try {
            copy = new Preserved(existing(bufferId), pool, newest);
        } catch (MemoryException e) {
            return -1;
        }
        Preserved former;
        synchronized (this) {
            former = closed ? null : preserved.putIfAbsent(bufferId, copy);
            if (!closed && former == null) {
                return copy.memoryLength();
            }
        }
        copy.release();
        if (former != null) {
            throw new IllegalStateException("bufferId=" + bufferId + " is already preserved");
        }
        return -1;
    }

    /**
     * Returns a fanout over a preserved copy for one subscription; null if there is no copy. The caller must end the
     * fanout after the subscription has been added.
     */
    public synchronized Fanout openPreserved(int bufferId) {
        Preserved copy = preserved.get(bufferId);
        return copy == null ? null : copy.open();
    }

    /**
     * Removes a preserved copy; does nothing if there is none. Subscriptions that have already begun still receive the
     * copy.
     */
    public synchronized void forgetPreserved(int bufferId) {
        Preserved copy = preserved.remove(bufferId);
        if (copy != null) {
            copy.release();
        }
    }

    /** Ends all buffers. */
    public void removeAll() {
        synchronized (this) {
            closed = true;
            preserved.values().forEach(Preserved::release);
            preserved.clear();
        }
        for (OutputBuffer buffer : buffers.values()) {
            buffer.end();
        }
        for (Fanout fanout : fanouts.values()) {
            fanout.end();
        }
    }

    /** Returns a future that completes when all readers have consumed all data delivered into a buffer so far. */
    public CompletableFuture<Void> flush(int bufferId) {
        Fanout fanout = existing(bufferId);
        if (!fanout.options().flowControl()) {
            throw new IllegalArgumentException("bufferId=" + bufferId + " has no flow control");
        }
        return fanout.flush();
    }

    /** Returns the number of bytes that all readers are known to have consumed. */
    public long consumedPosition(int bufferId) {
        Fanout fanout = existing(bufferId);
        for (Subscription subscription : fanout.subscriptions()) {
            subscription.word().look();
        }
        return fanout.minConsumed();
    }

    /**
     * Makes all readers of a buffer skip to the buffer's end. Returns the number of bytes that had not been sent,
     * summed over the readers; -1 if the buffer does not exist.
     */
    public long skip(int bufferId) {
        Fanout fanout = fanouts.get(bufferId);
        if (fanout == null) {
            return -1;
        }
        long pendingLength = 0;
        for (Subscription subscription : fanout.subscriptions()) {
            pendingLength += subscription.pendingLength();
            subscription.requestSkip();
        }
        return pendingLength;
    }

    /**
     * Returns pages of empty buffers to the operating system. Called at each tick of each connection that uses this
     * output. Only the first call in each half second visits the buffers, so the cost does not grow with the number of
     * connections.
     */
    public void returnPages() {
        if (touched.isEmpty()) {
            return;
        }
        long nowNs = System.nanoTime();
        long dueNs = nextReturnNs.get();
        if (nowNs - dueNs < 0 || !nextReturnNs.compareAndSet(dueNs, nowNs + RETURN_INTERVAL_NS)) {
            return;
        }
        long toReturn = CircularBuffer.RETURNED_PER_TICK;
        for (OutputMemory memory : touched) {
            toReturn -= toReturn > 0 ? memory.returnPages() : 0;
        }
    }

    /** Returns the number of subscriptions to a buffer. */
    public int subscriptionCount(int bufferId) {
        Fanout fanout = fanouts.get(bufferId);
        return fanout == null ? 0 : fanout.subscriptions().length;
    }

    /** Returns the current state of every subscription. */
    public List<SubscriptionState> subscriptions() {
        List<SubscriptionState> states = new ArrayList<>();
        for (Fanout fanout : fanouts.values()) {
            for (Subscription subscription : fanout.subscriptions()) {
                states.add(subscription.state());
            }
        }
        return states;
    }

    /** Returns totals over all subscriptions without creating an object for each subscription. */
    public SubscriptionTotals totals() {
        long sentLength = 0;
        long lostLength = 0;
        for (Fanout fanout : fanouts.values()) {
            for (Subscription subscription : fanout.subscriptions()) {
                sentLength += subscription.credit().sentPosition();
                lostLength += subscription.meters().lostLength();
            }
        }
        return new SubscriptionTotals(sentLength, lostLength);
    }

    /** Returns the current state of every buffer that the application fills. */
    public List<OutputState> states() {
        return buffers.values().stream().map(buffer -> buffer.state(number)).toList();
    }

    /** Returns the readers of a buffer; null if the buffer does not exist. */
    public Fanout fanout(int bufferId) {
        return fanouts.get(bufferId);
    }

    /**
     * Returns the readers of a buffer.
     *
     * @throws IllegalArgumentException if the buffer does not exist
     */
    public Fanout existing(int bufferId) {
        Fanout fanout = fanouts.get(bufferId);
        if (fanout == null) {
            throw new IllegalArgumentException("bufferId=" + bufferId + " does not exist");
        }
        return fanout;
    }

    private void checkFree(int bufferId) {
        if (closed) {
            throw new IllegalStateException("the output is closed");
        }
        if (fanouts.containsKey(bufferId) || preserved.containsKey(bufferId)) {
            throw new IllegalStateException(
                    "bufferId=" + bufferId + " already exists, is still being drained, or is preserved");
        }
    }

    private synchronized void forget(int bufferId) {
        fanouts.remove(bufferId);
        buffers.remove(bufferId);
    }
}
