package io.rocketbufs.rocketlog.client;

import io.rocketbufs.Connection;
import io.rocketbufs.RIn;
import io.rocketbufs.ROut;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Segment;
import io.rocketbufs.rocketlog.client.LogClientSettings.ProduceMode;
import io.rocketbufs.rocketlog.protocol.AppendResult;
import io.rocketbufs.rocketlog.protocol.BatchFrameLayout;
import io.rocketbufs.rocketlog.protocol.LeaseMessageLayout;
import io.rocketbufs.rocketlog.protocol.LeaseMode;
import io.rocketbufs.rocketlog.protocol.ProduceMessageLayout;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/**
 * A producer's connection to the broker. One buffer carries frames that contain batches, and another carries the
 * results; each connection uses new buffers. In the modes exclusive and shared, batches are instead written directly
 * into a log's memory while the broker allows it.
 *
 * <p><i>Thread-safety:</i> one thread at a time may send; results arrive on the connection's worker.
 */
final class ProducerLink {
    private static final int BUFFER = 1;
    /** Capacity of the buffer for results, in bytes. The broker waits while this buffer is full. */
    private static final long RESULTS = 16 << 10;

    private final ROut out;
    private final LogClientSettings.Producer options;
    private final long producerId;
    private final Owner owner;
    /** The targets for direct writes, by partition; null if the mode is private. */
    private volatile SegmentTarget[] targets;
    /** True if the broker has refused the mode, so that all further batches go through the private buffer. */
    private volatile boolean isPrivate;
    /**
     * True if a target may hold batches that were accepted for sending but not written, and must therefore be resent.
     */
    private volatile boolean hasUnwritten;

    private volatile LogConnection connection;
    private RIn in;
    private volatile boolean hasFailed;

    /** The producer. */
    interface Owner {
        /** Called when batches can be sent. */
        void onReady(ProducerLink link, int partitions, int longestBatch);

        /**
         * Called with the results of batches. Results of the same partition arrive in the order in which the batches
         * were sent.
         */
        void onResults(ProducerLink link, Segment results);

        /**
         * Called on the connection's worker when the broker permanently refuses access to the logs' memory. The owner
         * must then fail, or call {@link #usePrivate}.
         */
        void onRefused(ProducerLink link, LogClientException cause);

        /** Called when a refused {@link #send} may now succeed. Called by any thread, which may hold any lock. */
        void onSpace(ProducerLink link);

        /**
         * Called once when the link could not be opened or has ended. The owner must then {@link #release} the link.
         * The cause is null after a graceful close.
         */
        void onEnded(ProducerLink link, Throwable cause);
    }

    /** Creates a link that is not connected yet. The owner must {@link #release} the link. */
    ProducerLink(RocketBufs rocketBufs, LogClientSettings.Producer options, long producerId, Owner owner) {
        this.out = new ROut(rocketBufs);
        this.options = options;
        this.producerId = producerId;
        this.owner = owner;
        out.setSpaceCallback(bufferId -> owner.onSpace(this));
    }

    /** Connects to the broker and announces the producer. */
    void open(RocketBufs rocketBufs, LogClientSettings settings, TopicIdentity topic) {
        connect(rocketBufs, settings)
                .thenCompose(made ->
                        made.ask(number -> ProduceMessageLayout.produce(number, BUFFER, topic.name(), topic.id())))
                .thenCompose(this::subscribe)
                .thenAccept(answer -> {
                    topic.found(ProduceMessageLayout.producedTopicId(answer));
                    createTargets(topic.name(), ProduceMessageLayout.partitions(answer));
                    owner.onReady(
                            this, ProduceMessageLayout.partitions(answer), ProduceMessageLayout.longestBatch(answer));
                })
                .whenComplete((nothing, failure) -> {
                    if (failure != null) { // the response may also be malformed
                        end(LogConnection.causeOf(failure));
                    }
                });
    }

    private CompletableFuture<LogConnection> connect(RocketBufs rocketBufs, LogClientSettings settings) {
        try {
            out.createBuffer(BUFFER, options.ringCapacity());
            return LogConnection.connect(rocketBufs, settings, this::begin, this::end);
        } catch (RuntimeException | Error e) { // for example, because there is no memory for the buffer
            return CompletableFuture.failedFuture(e);
        }
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

    private void createTargets(String topic, int partitions) {
        if (options.mode() != ProduceMode.PRIVATE) {
            SegmentTarget[] made = new SegmentTarget[partitions];
            for (int i = 0; i < partitions; i++) {
                made[i] = new SegmentTarget(topic, i, new Access());
            }
            targets = made;
        }
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

    /** Frees the memory. No thread may still be sending. */
    void release() {
        hasFailed = true;
        out.close();
    }

    /**
     * Sends a batch to a partition.
     *
     * @param isUnderWay true if earlier batches of the partition are in flight
     * @return false if the batch must wait, or the link has ended. The caller should retry after {@link Owner#onSpace},
     *     and once no batches of the partition are in flight
     */
    boolean send(int partition, ProducerBatch batch, boolean isUnderWay) {
        if (hasFailed) {
            return false;
        }
        SegmentTarget[] direct = targets;
        if (direct == null || partition >= direct.length) { // the topic may have been recreated with fewer partitions
            return sendThroughRing(partition, batch);
        }
        SegmentTarget.Outcome outcome = direct[partition].send(batch, isUnderWay);
        if (outcome == SegmentTarget.Outcome.USE_RING) {
            return sendThroughRing(partition, batch);
        }
        boolean isSent = outcome == SegmentTarget.Outcome.SENT;
        batch.isDirect = isSent;
        return isSent;
    }

    /** Sends all further batches through the private buffer. */
    void usePrivate() {
        isPrivate = true;
    }

    /** Returns true if {@link #takeUnwritten} may return more than 0 for a partition, and resets this state. */
    boolean takeHasUnwritten() {
        boolean had = hasUnwritten;
        if (had) {
            hasUnwritten = false; // before the counts are read
        }
        return had;
    }

    /** Returns how many of the batches last sent to a partition must be resent, and resets this number. */
    int takeUnwritten(int partition) {
        SegmentTarget[] direct = targets;
        return direct == null || partition >= direct.length ? 0 : direct[partition].takeUnwritten();
    }

    private boolean sendThroughRing(int partition, ProducerBatch batch) {
        Segment frame = out.getOutputSegment(BUFFER, BatchFrameLayout.BATCH + (long) batch.length, false);
        if (frame.vecCount() < 0) {
            return false;
        }
        frame.putInt(BatchFrameLayout.PARTITION, partition);
        frame.putInt(BatchFrameLayout.LENGTH, batch.length);
        frame.put(BatchFrameLayout.BATCH, batch.memory, 0, batch.length);
        out.deliver(frame, frame.length());
        batch.isDirect = false;
        return true;
    }

    /** Runs a task on the connection's worker. Does nothing if there is no connection. */
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

    /** Returns the number of the partition to which a result belongs. The number may be invalid. */
    static int partition(Segment results, int index) {
        return results.getInt((long) index * AppendResult.LENGTH + AppendResult.PARTITION);
    }

    /** Returns the result at an index. */
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

    /** Closes the connection gracefully, and briefly waits for it to end. No worker may call this. */
    void closeAndWait() {
        LogConnection made = connection;
        if (made != null) {
            made.closeAndWait();
        }
    }

    /**
     * Runs a task when the connection has ended and no batches are being sent. Runs it immediately if no connection has
     * been established.
     */
    void whenEnded(Runnable task) {
        LogConnection made = connection;
        if (made == null) {
            task.run();
        } else {
            made.connection().closed().thenRun(task);
        }
    }

    /** The part of this link that targets use. */
    private final class Access implements SegmentTarget.Access {
        @Override
        public CompletableFuture<ByteBuffer> ask(int partition) {
            LeaseMode mode = options.mode() == ProduceMode.SHARED ? LeaseMode.SHARED : LeaseMode.EXCLUSIVE;
            return connection.ask(number -> LeaseMessageLayout.acquire(number, BUFFER, partition, mode, producerId));
        }

        @Override
        public Connection connection() {
            return connection.connection();
        }

        @Override
        public void execute(Runnable task) {
            ProducerLink.this.execute(task);
        }

        @Override
        public boolean isPrivate() {
            return isPrivate;
        }

        @Override
        public long delayMs() {
            return options.leaseDelayMs();
        }

        @Override
        public void onChange() {
            owner.onSpace(ProducerLink.this);
        }

        @Override
        public void onUnwritten() {
            hasUnwritten = true;
            onChange();
        }

        @Override
        public void onRefused(LogClientException cause) {
            // Deferred, because the response may have arrived before the batch that needs it counts as waiting.
            execute(() -> owner.onRefused(ProducerLink.this, cause));
        }
    }
}
