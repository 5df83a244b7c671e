package io.rocketbufs.rbmq.bench;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.Gap;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.SubscriberCallback;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;

/**
 * The subscribers of a benchmark in this process, each with its own connection.
 *
 * <p><b>Thread-safety:</b> one thread; {@link #report} after {@link #close}.
 */
public final class BenchSubscribers implements BenchRole, AutoCloseable {
    private static final long IDLE_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(5);
    private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(2);

    private final Consumer<String> onGap;
    private final Runnable onFailure;
    private final List<Subscriber> connections = new ArrayList<>();
    private final List<BenchSubscriber> subscribers = new ArrayList<>();
    private volatile String problem;

    /**
     * Creates an empty set of subscribers.
     *
     * @param onGap called with a description of skipped messages
     * @param onFailure called on a worker when a connection is lost or a message is malformed
     */
    public BenchSubscribers(Consumer<String> onGap, Runnable onFailure) {
        this.onGap = onGap;
        this.onFailure = onFailure;
    }

    /** Adds a subscriber to all topics, and waits until it is live. */
    public void connect(RocketBufs rocketBufs, ClientSettings settings, List<String> topics) {
        // A lost connection is a failure of the benchmark.
        ClientSettings once = settings.withReconnect(settings.reconnect().withEnabled(false));
        Subscriber connection = Subscriber.connect(rocketBufs, once, new SubscriberCallback() {
            @Override
            public void onGap(Gap gap) {
                onGap.accept("topic " + gap.topic() + ", publisher " + gap.publisher() + ": " + gap.lostLength()
                        + " bytes were skipped");
            }

            @Override
            public void onError(String topic, int publisher, Throwable error) {
                fail("topic " + topic + ", publisher " + publisher + ": " + error.getMessage());
            }
        });
        connections.add(connection);
        connection.closed().whenComplete((nothing, lost) -> {
            if (lost != null) {
                fail("the connection to the broker was lost: " + lost.getMessage());
            }
        });
        BenchSubscriber subscriber = new BenchSubscriber();
        subscribers.add(subscriber);
        List<CompletableFuture<Void>> live = topics.stream()
                .map(topic -> connection.subscribe(topic, subscriber).ready())
                .toList();
        try {
            live.forEach(CompletableFuture::join);
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    /** Waits until each subscriber has received the expected number of messages, or no further messages arrive. */
    public void awaitEach(long expected) {
        for (BenchSubscriber subscriber : subscribers) {
            long seen = -1;
            long progressNs = System.nanoTime();
            while (subscriber.received() < expected && System.nanoTime() - progressNs < IDLE_TIMEOUT_NS) {
                if (subscriber.received() != seen) {
                    seen = subscriber.received();
                    progressNs = System.nanoTime();
                }
                LockSupport.parkNanos(POLL_NS);
            }
        }
    }

    /** Returns the first failure; null if there is none. */
    public String problem() {
        return problem;
    }

    /** Returns true while all connections are open. */
    public boolean isConnected() {
        return connections.stream().allMatch(Subscriber::isConnected);
    }

    @Override
    public boolean hasStarted() {
        return count() > 0;
    }

    @Override
    public void begin() {
        subscribers.forEach(BenchSubscriber::begin);
    }

    @Override
    public void end() {
        subscribers.forEach(BenchSubscriber::end);
    }

    @Override
    public long count() {
        return subscribers.stream().mapToLong(BenchSubscriber::received).sum();
    }

    @Override
    public void close() {
        connections.forEach(Subscriber::close);
    }

    /**
     * Returns the results.
     *
     * @param detailed true to include each subscriber's rate and the latencies, which only a coordinator needs
     */
    public Map<String, Object> report(boolean detailed) {
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("role", "subscriber");
        report.put("received", count());
        report.put(
                "per_s",
                subscribers.stream().mapToDouble(BenchSubscriber::perSecond).sum());
        report.put("lost", subscribers.stream().mapToLong(BenchSubscriber::lost).sum());
        report.put(
                "duplicated",
                subscribers.stream().mapToLong(BenchSubscriber::duplicated).sum());
        report.put(
                "reordered",
                subscribers.stream().mapToLong(BenchSubscriber::reordered).sum());
        report.put(
                "corrupted",
                subscribers.stream().mapToLong(BenchSubscriber::corrupted).sum());
        if (detailed) {
            report.put("each", subscribers.stream().map(BenchSubscribers::each).toList());
            report.put("latencies", Latencies.encode(all()));
        }
        return report;
    }

    private static Map<String, Object> each(BenchSubscriber subscriber) {
        Map<String, Object> each = new LinkedHashMap<>();
        each.put("received", subscriber.received());
        each.put("duplicated", subscriber.duplicated());
        each.put("per_s", subscriber.perSecond());
        return each;
    }

    private Histogram all() {
        Histogram all = subscribers.get(0).latencies().copy();
        subscribers.stream().skip(1).forEach(subscriber -> all.add(subscriber.latencies()));
        return all;
    }

    private void fail(String what) {
        if (problem == null) {
            problem = what;
        }
        onFailure.run();
    }
}
