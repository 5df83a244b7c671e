package io.rocketbufs.benchmarks.rdma;

import io.rocketbufs.RemoteMemory;
import io.rocketbufs.memory.Region;
import io.rocketbufs.options.Posted;
import io.rocketbufs.options.RemoteMemoryCallback;
import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;

/**
 * A sequence of reads or additions: whenever an operation completes, the worker posts the next operation. The results
 * are checked.
 *
 * <p><b>Thread-safety:</b> the worker of the connection posts; another thread measures.
 */
final class Fetches implements RemoteMemoryCallback {
    /** Maximum number of outstanding operations, as in the C program. */
    private static final int WINDOW = 64;

    private static final long SETTLE_MS = 300;
    private static final long PATIENCE_S = 15;
    private static final long LONGEST_NS = 60_000_000_000L;
    private static final double SECOND_NS = 1e9;

    private final Quantity quantity;
    private final Memory local;
    private final ByteBuffer bytes;
    private final int window;
    private final Histogram times = new Histogram(LONGEST_NS, 3);
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    /** Number of operations that have completed; written by the worker. */
    private final AtomicLong completed = new AtomicLong();

    private volatile boolean isMeasured;
    private volatile boolean isOver;
    // Used by the worker.
    private RemoteMemory memory;
    private long posted;
    private long startNs;

    /**
     * The memory into which reads are written.
     *
     * @param region the memory
     * @param size length of a read
     * @param slots number of reads that fit into the memory
     */
    record Memory(Region region, int size, int slots) {}

    Fetches(Quantity quantity, Memory local) {
        this.quantity = quantity;
        this.local = local;
        this.bytes = local.region().window(0, local.size() * local.slots()).order(ByteOrder.nativeOrder());
        this.window = quantity.isLatency() ? 1 : WINDOW;
    }

    /** Starts posting operations. Must be called on the worker. */
    void begin(RemoteMemory remote) {
        memory = remote;
        post();
    }

    /** Measures for the given time, and then stops posting operations. */
    double measure(long durationMs) throws Exception {
        await(SETTLE_MS);
        isMeasured = true;
        long beginNs = System.nanoTime();
        long begin = completed.get();
        // Continue until at least one operation has completed, even on a busy machine.
        do {
            await(durationMs);
        } while (completed.get() == begin);
        double perSecond = (completed.get() - begin) * SECOND_NS / (System.nanoTime() - beginNs);
        isOver = true;
        ended.get(PATIENCE_S, TimeUnit.SECONDS);
        return quantity.isLatency() ? times.getValueAtPercentile(50) : perSecond;
    }

    private void await(long ms) throws Exception {
        try {
            ended.get(ms, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            // No operation has failed.
        }
    }

    private void post() {
        while (!isOver && posted - completed.get() < window) {
            startNs = quantity.isLatency() ? System.nanoTime() : 0;
            if (postOne() != Posted.POSTED) {
                return;
            }
            posted++;
        }
        if (isOver && posted == completed.get()) {
            ended.complete(null);
        }
    }

    private Posted postOne() {
        if (quantity.adds()) {
            return memory.fetchAdd(0, 1, posted);
        }
        long offset = posted % local.slots() * local.size();
        return memory.read(offset, local.size(), local.region(), offset, posted);
    }

    @Override
    public void onCompleted(long context, long value) {
        if (isMeasured && quantity.isLatency()) {
            times.recordValue(System.nanoTime() - startNs);
        }
        long found = result(context, value);
        long expected = quantity.adds() ? context : context % local.slots() + 1;
        if (found != expected) {
            ended.completeExceptionally(new IllegalStateException(
                    "operation " + context + " of " + quantity + " returned " + found + " instead of " + expected));
            return;
        }
        completed.lazySet(context + 1);
        post();
    }

    /** Returns the result of an operation, and clears the memory that contained it. */
    private long result(long context, long value) {
        if (quantity.adds()) {
            return value;
        }
        int index = (int) (context % local.slots()) * local.size();
        long found = bytes.getLong(index);
        bytes.putLong(index, 0);
        return found;
    }

    @Override
    public void onSpace() {
        post();
    }

    @Override
    public void onFailed(long context, TransportException cause) {
        ended.completeExceptionally(cause);
    }
}
