package io.rocketbufs.rocketlog.client;

import io.rocketbufs.RIn;
import io.rocketbufs.ROut;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Segment;
import io.rocketbufs.rocketlog.protocol.AppendResult;
import io.rocketbufs.rocketlog.protocol.BatchFrameLayout;
import io.rocketbufs.rocketlog.protocol.LogMessageLayout;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/**
 * A producer's connection to the broker: a buffer whose deliveries are frames with batches, and one from which the
 * results arrive. Each connection has new buffers.
 *
 * <p><i>Thread-safety:</i> one thread at a time sends; results arrive on the connection's worker.
 */
final class ProducerLink {
    private static final int BUFFER = 1;
    /** Capacity for results; the broker waits when it is full. */
    private static final long RESULTS = 16 << 10;

    private final ROut out;
    private final Owner owner;
    private volatile LogConnection connection;
    private RIn in;
    private volatile boolean hasFailed;

    /** The producer. */
    interface Owner {
        /** Called when batches can be sent. */
        void onReady(ProducerLink link, int partitions, int longestBatch);

        /** Called with the results of the next batches, in the order of sending. */
        void onResults(ProducerLink link, Segment results);

        /** Called when a refused {@link #send} may succeed; any thread, which may hold any lock. */
        void onSpace(ProducerLink link);

        /**
         * Called once when the link could not be opened, or has ended; the cause is null after a graceful close. The
         * owner releases the link.
         */
        void onEnded(ProducerLink link, Throwable cause);
    }

    /** Creates a link that is not connected. Its owner must {@link #release} it. */
    ProducerLink(RocketBufs rocketBufs, long capacity, Owner owner) {
        this.out = new ROut(rocketBufs);
        this.owner = owner;
        out.setSpaceCallback(bufferId -> owner.onSpace(this));
        out.createBuffer(BUFFER, capacity);
    }

    /** Connects and announces the producer. */
    void open(RocketBufs rocketBufs, LogClientSettings settings, String topic) {
        LogConnection.connect(rocketBufs, settings, this::begin, this::end)
                .thenCompose(made -> made.ask(number -> LogMessageLayout.produce(number, BUFFER, topic)))
                .thenCompose(this::subscribe)
                .whenComplete((answer, failure) -> {
                    if (failure == null) {
                        owner.onReady(this, LogMessageLayout.partitions(answer), LogMessageLayout.longestBatch(answer));
                    } else {
                        end(LogConnection.causeOf(failure));
                    }
                });
    }

    private void begin(LogConnection made) {
        connection = made;
        in = new RIn(made.connection());
        in.setDataInCallback((bufferId, data) -> {
            owner.onResults(this, data);
            in.dataConsumed(bufferId, data.length());
        });
        out.addConnection(made.connection());
    }

    private CompletableFuture<ByteBuffer> subscribe(ByteBuffer producing) {
        return in.subscribe(BUFFER, RESULTS).thenApply(nothing -> producing);
    }

    private void end(Throwable cause) {
        synchronized (this) {
            if (hasFailed) {
                return;
            }
            hasFailed = true;
        }
        close();
        owner.onEnded(this, cause);
    }

    /** Frees the memory. No thread may be sending. */
    void release() {
        hasFailed = true;
        out.close();
    }

    /** Sends a batch to a partition. Returns false if there is no space, or the link has ended. */
    boolean send(int partition, ProducerBatch batch) {
        if (hasFailed) {
            return false;
        }
        Segment frame = out.getOutputSegment(BUFFER, BatchFrameLayout.BATCH + (long) batch.length, false);
        if (frame.vecCount() < 0) {
            return false;
        }
        frame.putInt(BatchFrameLayout.PARTITION, partition);
        frame.putInt(BatchFrameLayout.LENGTH, batch.length);
        frame.put(BatchFrameLayout.BATCH, batch.memory, 0, batch.length);
        out.deliver(frame, frame.length());
        return true;
    }

    /** Runs a task on the connection's worker, if there is one. */
    void execute(Runnable task) {
        LogConnection made = connection;
        if (made != null) {
            made.connection().execute(task);
        }
    }

    /** Returns the number of results in a segment. */
    static int count(Segment results) {
        return (int) (results.length() / AppendResult.LENGTH);
    }

    /** Returns a result. */
    static long result(Segment results, int index) {
        return results.getLong((long) index * AppendResult.LENGTH);
    }

    /** Closes the connection gracefully. */
    void close() {
        LogConnection made = connection;
        if (made != null) {
            made.connection().close();
        }
    }

    /** Closes the connection gracefully, and waits a short time for its end. No worker may call this. */
    void closeAndWait() {
        LogConnection made = connection;
        if (made != null) {
            made.closeAndWait();
        }
    }
}
