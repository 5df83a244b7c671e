package io.rocketbufs.rbmq.cli;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.cli.CommandFailure;
import io.rocketbufs.rbmq.ClientSettings;
import io.rocketbufs.rbmq.bench.BenchPublisher;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.TopicPublisher;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;

/**
 * The publishers of a benchmark in this process: each has a connection and a thread.
 *
 * <p><b>Thread-safety:</b> one thread.
 */
final class BenchPublishers implements BenchRole, AutoCloseable {
    private static final Duration STALL_TIMEOUT = Duration.ofSeconds(45);
    private static final long STOP_MS = 2000;

    private final Runnable onFailure;
    private final List<Publisher> connections = new ArrayList<>();
    /** Those of each connection. */
    private final List<List<TopicPublisher>> topics = new ArrayList<>();

    private final List<BenchPublisher> publishers = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();

    /**
     * Makes none yet.
     *
     * @param onFailure called on its thread when a publisher cannot go on
     */
    BenchPublishers(Runnable onFailure) {
        this.onFailure = onFailure;
    }

    /** Adds a publisher, and waits until the broker has agreed to its topics. */
    void connect(RocketBufs rocketBufs, ClientSettings settings, List<String> names) {
        Publisher connection = Publisher.connect(rocketBufs, settings);
        connections.add(connection);
        List<TopicPublisher> own = names.stream().map(connection::topic).toList();
        topics.add(own);
        try {
            own.forEach(publisher -> publisher.announced().join());
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    /** Lets all publish, their topics numbered from {@code first}: the first topic of each, then the second of each. */
    void start(int first, int length, long rate, boolean stampAll) {
        for (List<TopicPublisher> own : topics) {
            int longest = own.get(0).longestMessage();
            if (length > longest) {
                throw CommandFailure.usage("--size " + length + ": the longest message has " + longest
                        + " bytes; a larger buffer makes it longer, see rbmq.client in reference.conf");
            }
            int number = first + publishers.size();
            BenchPublisher publisher = new BenchPublisher(own, i -> number + i * topics.size(), length, rate, stampAll);
            publishers.add(publisher);
            threads.add(new Thread(() -> run(publisher), "rbmq-bench-publisher-" + threads.size()));
        }
        threads.forEach(Thread::start);
    }

    /**
     * Ends the publishing, and waits until the broker has consumed everything.
     *
     * @return what went wrong, or null
     */
    String stop() throws InterruptedException {
        String problem = refusal();
        publishers.forEach(BenchPublisher::stop);
        long deadlineNs = System.nanoTime() + STOP_MS * 1_000_000;
        for (Thread thread : threads) {
            thread.join(Math.max(1, (deadlineNs - System.nanoTime()) / 1_000_000));
            if (thread.isAlive()) {
                // It waits for space that a subscriber does not give.
                thread.interrupt();
                thread.join();
            }
        }
        long unconfirmed = 0;
        for (Publisher connection : connections) {
            Drain.await(connection, STALL_TIMEOUT, () -> true);
            unconfirmed += Drain.missingCount(connection);
        }
        if (problem == null && unconfirmed > 0) {
            return unconfirmed + " messages were not consumed by the broker";
        }
        return problem;
    }

    @Override
    public boolean hasStarted() {
        return true;
    }

    @Override
    public void begin() {
        publishers.forEach(BenchPublisher::begin);
    }

    @Override
    public void end() {
        publishers.forEach(BenchPublisher::end);
    }

    @Override
    public long count() {
        return publishers.stream().mapToLong(BenchPublisher::sent).sum();
    }

    double perSecond() {
        return publishers.stream().mapToDouble(BenchPublisher::perSecond).sum();
    }

    @Override
    public void close() {
        publishers.forEach(BenchPublisher::stop);
        connections.forEach(Publisher::close);
    }

    private void run(BenchPublisher publisher) {
        publisher.run();
        if (publisher.refusal() != null) {
            onFailure.run();
        }
    }

    private String refusal() {
        for (BenchPublisher publisher : publishers) {
            if (publisher.refusal() != null) {
                return "publishing ended: " + publisher.refusal();
            }
        }
        return null;
    }
}
