package io.rocketbufs.rocketlog.cli;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.cli.CommandFailure;
import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.rocketlog.client.ConsumerOptions;
import io.rocketbufs.rocketlog.client.ConsumerStart;
import io.rocketbufs.rocketlog.client.LogClientSettings;
import io.rocketbufs.rocketlog.client.LogConsumer;
import io.rocketbufs.rocketlog.client.TopicClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.LongStream;

/**
 * The producers and consumers of one load, each on its own thread.
 *
 * <p><i>Thread-safety:</i> one thread. <i>Ownership:</i> owns the clients and their threads.
 */
final class DemoClients implements AutoCloseable {
    private static final long SECOND_NS = 1_000_000_000;
    private static final long STEP_NS = 1_000_000;
    /** Time within which consumers must read the remaining records. */
    private static final long DRAIN_NS = 30 * SECOND_NS;

    /** More than producers can be ahead of consumers, so that no record is overwritten unread. */
    private static final long CAPACITY = 256 << 20;

    private final DemoLoad load;
    private final CompletableFuture<Void> failure;
    private final List<DemoProducer> producers = new ArrayList<>();
    private final List<DemoConsumer> consumers = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private boolean isComplete;

    private DemoClients(DemoLoad load, CompletableFuture<Void> failure) {
        this.load = load;
        this.failure = failure;
    }

    /**
     * Creates the topic, and starts all clients.
     *
     * @param storage where the broker keeps the topic
     * @param measured how long latencies are measured
     * @param failure completed when a client fails; {@link #await} throws its cause, regardless of how it was completed
     */
    static DemoClients start(
            RocketBufs rocketBufs,
            LogClientSettings settings,
            DemoLoad load,
            TopicStorage storage,
            Duration measured,
            CompletableFuture<Void> failure) {
        DemoClients clients = new DemoClients(load, failure);
        try {
            try (TopicClient topics = TopicClient.connect(rocketBufs, settings)) {
                if (storage == TopicStorage.MEMORY) {
                    topics.createInMemory(load.topic(), load.partitions(), CAPACITY);
                } else {
                    topics.create(load.topic(), load.partitions());
                }
            }
            clients.open(rocketBufs, settings, measured);
        } catch (RuntimeException | Error e) {
            clients.close();
            throw e;
        }
        clients.threads.forEach(Thread::start);
        return clients;
    }

    private void open(RocketBufs rocketBufs, LogClientSettings settings, Duration measured) {
        int mostLatencies = (int) Math.min(Integer.MAX_VALUE / 2, load.rate() * (measured.toSeconds() + 1) * 2);
        for (int i = 0; i < load.partitions(); i++) {
            ConsumerOptions options = ConsumerOptions.DEFAULTS.withPartition(i, ConsumerStart.EARLIEST);
            LogConsumer client = LogConsumer.open(rocketBufs, settings, load.topic(), options);
            DemoConsumer consumer =
                    new DemoConsumer(client, load.producers(), mostLatencies, failure::completeExceptionally);
            consumers.add(consumer);
            threads.add(thread(consumer, "demo-consumer-" + i));
        }
        for (int i = 0; i < load.producers(); i++) {
            boolean hasOwnPartition = settings.producer().mode() == LogClientSettings.ProduceMode.EXCLUSIVE;
            DemoProducer producer = new DemoProducer(
                    i,
                    hasOwnPartition ? i % load.partitions() : DemoProducer.ALL_PARTITIONS,
                    load.rate(),
                    () -> sent() - consumed(),
                    failure::completeExceptionally);
            producer.open(rocketBufs, settings, load.topic());
            producers.add(producer);
            threads.add(thread(producer, "demo-producer-" + i));
        }
    }

    private static Thread thread(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    /** Waits for a duration. Throws the failure, if there is one. */
    void await(Duration duration) throws InterruptedException {
        await(duration.toNanos());
    }

    private void await(long durationNs) throws InterruptedException {
        try {
            failure.get(durationNs, TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            return; // as expected
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e.getCause());
        }
    }

    /** Starts or ends the measurement of latencies. */
    void measure(boolean on) {
        consumers.forEach(consumer -> consumer.measure(on && load.rate() > 0));
    }

    private long sent() {
        return producers.stream().mapToLong(DemoProducer::sent).sum();
    }

    /** Returns how many records count as sent. */
    long acknowledged() {
        return producers.stream().mapToLong(DemoProducer::acknowledged).sum();
    }

    /** Returns the number of records that have arrived. */
    long consumed() {
        return consumers.stream().mapToLong(DemoConsumer::count).sum();
    }

    /** Stops the producers, waits until the consumers have read everything, and stops them. */
    void stop() throws InterruptedException {
        producers.forEach(DemoProducer::stop);
        long startNs = System.nanoTime();
        while ((!producers.stream().allMatch(DemoProducer::hasEnded) || consumed() < sent())
                && System.nanoTime() - startNs < DRAIN_NS) {
            await(STEP_NS);
        }
        consumers.forEach(DemoConsumer::stop);
        for (Thread thread : threads) {
            thread.join(TimeUnit.NANOSECONDS.toMillis(DRAIN_NS));
            if (thread.isAlive()) {
                throw new CommandFailure(
                        ExitCode.TIMEOUT, thread.getName() + " did not finish: the broker does not respond");
            }
        }
        await(0);
        isComplete = true;
    }

    /** Returns the faults of all records, after {@link #stop}. */
    DemoFaults faults() {
        DemoFaults sum = DemoFaults.NONE;
        for (int partition = 0; partition < consumers.size(); partition++) {
            DemoConsumer consumer = consumers.get(partition);
            sum = sum.plus(new DemoFaults(0, 0, 0, consumer.corrupted()));
            for (int i = 0; i < producers.size(); i++) {
                sum = sum.plus(consumer.faults(i, producers.get(i).sent(partition, load.partitions())));
            }
        }
        return sum;
    }

    /** Returns the measured latencies in ascending order, after {@link #stop}. */
    long[] latenciesNs() {
        return consumers.stream()
                .flatMapToLong(consumer -> LongStream.of(consumer.latenciesNs()))
                .sorted()
                .toArray();
    }

    /** Closes all clients, whose threads then end. */
    @Override
    public void close() {
        boolean isInterrupted = Thread.interrupted();
        if (!isComplete) {
            // The broker may have exited, so do not wait for acknowledgements.
            Thread.currentThread().interrupt();
        }
        producers.forEach(DemoProducer::close);
        consumers.forEach(DemoConsumer::stop);
        Thread.interrupted();
        for (Thread thread : threads) {
            isInterrupted |= !hasEnded(thread);
        }
        consumers.forEach(DemoConsumer::close);
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
