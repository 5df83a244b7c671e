package io.rocketbufs.rbmq.bench;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.TopicPublisher;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;

/**
 * The publishers of a benchmark in this process, each with its own connection and thread.
 *
 * <p><b>Thread-safety:</b> one thread.
 */
public final class BenchPublishers implements BenchRole, AutoCloseable {
    private static final long STOP_MS = 2000;

    private final Runnable onFailure;
    private final List<Publisher> connections = new ArrayList<>();
    /** The topics of each connection. */
    private final List<List<TopicPublisher>> topics = new ArrayList<>();

    private final List<BenchPublisher> publishers = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();

    /**
     * Creates an empty set of publishers.
     *
     * @param onFailure called on a publisher's thread when that publisher cannot continue
     */
    public BenchPublishers(Runnable onFailure) {
        this.onFailure = onFailure;
    }

    /** Adds a publisher, and waits until the broker has accepted its topics. */
    public void connect(RocketBufs rocketBufs, ClientSettings settings, List<String> names) {
        // A lost connection is a failure of the benchmark.
        ClientSettings once = settings.withReconnect(settings.reconnect().withEnabled(false));
        Publisher connection = Publisher.connect(rocketBufs, once);
        connections.add(connection);
        List<TopicPublisher> own = names.stream().map(connection::topic).toList();
        topics.add(own);
        try {
            own.forEach(publisher -> publisher.announced().join());
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    /**
     * Starts all publishers.
     *
     * @param first number of the first topic. Numbers are assigned to the first topic of each publisher, then to the
     *     second topic of each publisher, and so on
     * @param length length of a message in bytes, at most {@link #longestMessage()}
     * @param rate messages per second of each publisher; 0 for no limit
     * @param stampAll true to time every message instead of one in 1,024
     * @param batchCount number of messages published to a topic with one call
     */
    public void start(int first, int length, long rate, boolean stampAll, int batchCount) {
        for (List<TopicPublisher> own : topics) {
            int number = first + publishers.size();
            BenchPublisher publisher =
                    new BenchPublisher(own, i -> number + i * topics.size(), length, rate, stampAll, batchCount);
            publishers.add(publisher);
            threads.add(new Thread(() -> run(publisher), "rbmq-bench-publisher-" + threads.size()));
        }
        threads.forEach(Thread::start);
    }

    /** Returns the length of the longest message in bytes. */
    public int longestMessage() {
        return topics.get(0).get(0).longestMessage();
    }

    /** Stops publishing and waits until the threads have ended. Messages already published are still sent. */
    public void stop() throws InterruptedException {
        publishers.forEach(BenchPublisher::stop);
        long deadlineNs = System.nanoTime() + STOP_MS * 1_000_000;
        for (Thread thread : threads) {
            thread.join(Math.max(1, (deadlineNs - System.nanoTime()) / 1_000_000));
            if (thread.isAlive()) {
                // The thread is waiting for space that a subscriber is not freeing.
                thread.interrupt();
                thread.join();
            }
        }
    }

    /** Returns the connections, one for each publisher. */
    public List<Publisher> connections() {
        return List.copyOf(connections);
    }

    /**
     * Returns the reason why a publisher could not continue; null if all publishers can continue. Must be called before
     * the publishers are stopped.
     */
    public String problem() {
        for (BenchPublisher publisher : publishers) {
            if (publisher.problem() != null) {
                return publisher.problem();
            }
        }
        return null;
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

    /** Returns the rate during the measurement in messages per second. */
    public double perSecond() {
        return publishers.stream().mapToDouble(BenchPublisher::perSecond).sum();
    }

    @Override
    public void close() {
        publishers.forEach(BenchPublisher::stop);
        connections.forEach(Publisher::close);
    }

    private void run(BenchPublisher publisher) {
        publisher.run();
        if (publisher.problem() != null) {
            onFailure.run();
        }
    }
}
