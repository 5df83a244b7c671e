package io.rocketbufs.rocketlog.cli;

import io.rocketbufs.cli.CommandFailure;
import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.rocketlog.client.LogClientSettings;
import io.rocketbufs.rocketlog.client.LogClientSettings.ProduceMode;
import io.rocketbufs.rocketlog.client.TopicClient;
import io.rocketbufs.rocketlog.protocol.TopicState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.ToLongFunction;
import org.HdrHistogram.Histogram;

/**
 * The producers and consumers of one load, each with its own thread.
 *
 * <p><i>Thread-safety:</i> one thread. <i>Ownership:</i> owns the clients and their threads.
 */
final class LoadClients implements AutoCloseable {
    private static final long SECOND_NS = 1_000_000_000;
    private static final long STEP_NS = 1_000_000;
    /**
     * Maximum time, in nanoseconds, for the remaining records to be read by consumers, or appended by the broker, after
     * the load has stopped.
     */
    private static final long DRAIN_NS = 30 * SECOND_NS;

    private final LogLoad load;
    private final LogClientSettings settings;
    private final CompletableFuture<Void> failure;
    private final LoadSide producing;
    private final LoadSide consuming;
    private final List<LoadProducer> producers = new ArrayList<>();
    private final List<LoadConsumer> consumers = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private boolean isComplete;

    /**
     * Creates an instance that has no clients yet.
     *
     * @param producing the side of the producers; may be the same as the side of the consumers
     * @param failure completed exceptionally when a client fails; the caller may also complete it. {@link #await}
     *     throws the exception
     */
    private LoadClients(
            LogLoad load,
            LogClientSettings settings,
            LoadSide producing,
            LoadSide consuming,
            CompletableFuture<Void> failure) {
        this.load = load;
        this.settings = settings;
        this.producing = producing;
        this.consuming = consuming;
        this.failure = failure;
    }

    /**
     * Starts all clients of a load, whose topic must exist. The parameters have the same meanings as in the
     * constructor.
     */
    static LoadClients start(
            LogLoad load,
            LogClientSettings settings,
            LoadSide producing,
            LoadSide consuming,
            CompletableFuture<Void> failure)
            throws InterruptedException {
        LoadClients clients = new LoadClients(load, settings, producing, consuming, failure);
        try {
            clients.open();
        } catch (InterruptedException | RuntimeException | Error e) {
            clients.close();
            throw e;
        }
        clients.threads.forEach(Thread::start);
        return clients;
    }

    private void open() throws InterruptedException {
        for (int i = 0; i < (load.kind().consumes() ? load.consumers() : 0); i++) {
            int number = i;
            LoadConsumer consumer = consuming.call(() ->
                    new LoadConsumer(load, number, consuming.rocketBufs(), settings, failure::completeExceptionally));
            consumers.add(consumer);
            threads.add(consuming.thread(consumer));
        }
        boolean hasOwnPartition = settings.producer().mode() == ProduceMode.EXCLUSIVE && load.records() == 0;
        for (int i = 0; i < (load.kind().produces() ? load.producers() : 0); i++) {
            LoadProducer producer = new LoadProducer(
                    load,
                    i,
                    hasOwnPartition ? i % load.partitions() : LoadProducer.ALL_PARTITIONS,
                    consumers.isEmpty() ? () -> 0 : () -> sent() - consumed(),
                    failure::completeExceptionally);
            producing.call(() -> {
                producer.open(producing.rocketBufs(), settings);
                return producer;
            });
            producers.add(producer);
            threads.add(producing.thread(producer));
        }
    }

    /** Waits for the given time. If a client fails in the meantime, throws the failure immediately. */
    void await(Duration duration) throws InterruptedException {
        await(duration.toNanos());
    }

    private void await(long durationNs) throws InterruptedException {
        try {
            failure.get(durationNs, TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            return; // no failure occurred
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e.getCause());
        }
    }

    /** Waits until all records have been acknowledged. The load must have a limited number of records. */
    void awaitEnd() throws InterruptedException {
        while (!producers.stream().allMatch(LoadProducer::hasEnded)) {
            await(STEP_NS);
        }
    }

    /**
     * Runs the load, stops all clients, and returns the result.
     *
     * @param broker the broker; null if its processor time and its calls are unknown
     */
    LoadResult measure(LoadBroker broker, Duration warmup, Duration time) throws InterruptedException {
        LoadBroker.Calls before = broker == null ? null : broker.calls();
        await(warmup);
        final LoadResult.Counts begin = counts(broker);
        measure(true);
        await(time);
        measure(false);
        LoadResult.Counts counts = counts(broker).minus(begin);
        stop();
        LoadBroker.Calls calls = broker == null ? null : broker.calls().minus(before);
        LoadFaults faults = load.kind().consumes() ? consumedFaults() : appendedFaults();
        isComplete = true;
        return new LoadResult(load, counts, calls, faults, latencies(), batches());
    }

    private LoadBatches batches() {
        ProduceMode requested = settings.producer().mode();
        return producers.stream()
                .map(producer -> producer.batches(requested))
                .reduce(new LoadBatches(requested, 0, 0), LoadBatches::plus);
    }

    private LoadResult.Counts counts(LoadBroker broker) {
        return new LoadResult.Counts(
                System.nanoTime(),
                sent(),
                sum(producers, LoadProducer::acknowledged),
                sum(consumers, LoadConsumer::count),
                sum(consumers, LoadConsumer::polls),
                new LoadResult.Seconds(
                        broker == null ? Double.NaN : broker.cpuSeconds(),
                        producing.cpuSeconds(),
                        consuming.cpuSeconds()));
    }

    private void measure(boolean on) {
        producers.forEach(producer -> producer.measure(on));
        consumers.forEach(consumer -> consumer.measure(on));
    }

    private static <T> long sum(List<T> clients, ToLongFunction<T> counter) {
        return clients.stream().mapToLong(counter).sum();
    }

    private long sent() {
        return sum(producers, LoadProducer::sent);
    }

    /**
     * Returns the number of records that have arrived. A record that several consumers receive counts only after it has
     * arrived at all of them.
     */
    private long consumed() {
        return load.kind() == LogLoad.Kind.FANOUT
                ? consumers.stream().mapToLong(LoadConsumer::count).min().orElse(0)
                : sum(consumers, LoadConsumer::count);
    }

    /** Stops the producers, waits until the consumers have read all records, and then stops the consumers. */
    private void stop() throws InterruptedException {
        producers.forEach(LoadProducer::stop);
        boolean reads = load.kind().produces() && !consumers.isEmpty();
        long startNs = System.nanoTime();
        while ((!producers.stream().allMatch(LoadProducer::hasEnded) || reads && consumed() < sent())
                && System.nanoTime() - startNs < DRAIN_NS) {
            await(STEP_NS);
        }
        consumers.forEach(LoadConsumer::stop);
        for (Thread thread : threads) {
            thread.join(TimeUnit.NANOSECONDS.toMillis(DRAIN_NS));
            if (thread.isAlive()) {
                throw new CommandFailure(
                        ExitCode.TIMEOUT, thread.getName() + " did not end: the broker does not answer");
            }
        }
        await(0);
    }

    private LoadFaults consumedFaults() {
        // Consumers that read the same records repeatedly have already added the faults of each completed pass.
        return consumers.stream()
                .map(consumer -> consumer.faults((producer, partition) ->
                        producers.isEmpty() ? 0 : producers.get(producer).sent(partition)))
                .reduce(LoadFaults.NONE, LoadFaults::plus);
    }

    /**
     * Returns the faults of a load without consumers, by comparing the number of records in the log with the number
     * sent.
     */
    private LoadFaults appendedFaults() throws InterruptedException {
        long startNs = System.nanoTime();
        try (TopicClient topics = TopicClient.connect(producing.rocketBufs(), settings)) {
            List<TopicState.Partition> found = topics.state(load.topic()).partitions();
            while (appended(found) < sent() && System.nanoTime() - startNs < DRAIN_NS) {
                await(STEP_NS); // without acknowledgements, records may still be in flight
                found = topics.state(load.topic()).partitions();
            }
            LoadFaults sum = LoadFaults.NONE;
            for (int i = 0; i < found.size(); i++) {
                int partition = i;
                long more = found.get(i).nextOffset() - sum(producers, producer -> producer.sent(partition));
                sum = sum.plus(new LoadFaults(Math.max(0, -more), Math.max(0, more), 0, 0));
            }
            return sum;
        }
    }

    private static long appended(List<TopicState.Partition> partitions) {
        return sum(partitions, TopicState.Partition::nextOffset);
    }

    private Histogram latencies() {
        Histogram all = LoadResult.histogram();
        consumers.forEach(consumer -> all.add(consumer.latencies()));
        if (consumers.isEmpty()) {
            producers.forEach(producer -> {
                producer.close(); // no callbacks are called afterwards
                all.add(producer.latencies());
            });
        }
        return all;
    }

    /** Closes all clients, and waits for the end of their threads. */
    @Override
    public void close() {
        boolean isInterrupted = Thread.interrupted();
        if (!isComplete) {
            // Do not wait for acknowledgements, because the broker may have exited.
            Thread.currentThread().interrupt();
        }
        producers.forEach(LoadProducer::close);
        consumers.forEach(LoadConsumer::stop);
        Thread.interrupted();
        for (Thread thread : threads) {
            isInterrupted |= !hasEnded(thread);
        }
        consumers.forEach(LoadConsumer::close);
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean hasEnded(Thread thread) {
        try {
            thread.join();
            return true;
        } catch (InterruptedException e) {
            return false;
        }
    }
}
