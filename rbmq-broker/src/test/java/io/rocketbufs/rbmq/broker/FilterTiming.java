package io.rocketbufs.rbmq.broker;

import io.rocketbufs.ConnectOptions;
import io.rocketbufs.Connection;
import io.rocketbufs.Listener;
import io.rocketbufs.ROut;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.rbmq.RunningBroker;
import io.rocketbufs.rbmq.protocol.GreetingLayout;
import io.rocketbufs.rbmq.protocol.TopicFilter;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A program that measures how long a publisher's buffer takes to join and leave a topic of a broker with 1,000 filters.
 * The time includes the notices to subscribers, which read them over TCP. It depends on the number of matching filters
 * and is therefore measured for several such numbers, each with one and with ten connections. This is not a test,
 * because the result depends on the machine.
 */
final class FilterTiming {
    private static final int FILTER_COUNT = 1000;
    private static final long SEED = 1;
    private static final long CAPACITY = 1024;
    private static final TopicRule RULE =
            TopicRule.ofOthers(BrokerSettings.from(RunningBroker.config()).buffers());

    private final RocketBufs broker = RocketBufs.open(RunningBroker.config());
    private final RocketBufs clients = RocketBufs.open(RunningBroker.config());
    private final BlockingQueue<Connection> accepted = new ArrayBlockingQueue<>(100);
    private final ROut out = new ROut(broker);
    private static final BrokerSettings.Limits LIMITS = new BrokerSettings.Limits(
            65_536, 1000, 1_000_000, 1_000_000, Long.MAX_VALUE, 65_536, 1_000_000_000, 1000, 0);
    private final Groups groups =
            new Groups(out, new BufferTopics(), new SlowSubscribers(bufferId -> null), new Drains(out), () -> 16);
    private final BrokerLimits limits = new BrokerLimits(() -> LIMITS, new ProcessMemory(), new RefusalCounts());
    private final Topics topics =
            new Topics(out, new HashTopicTable(), groups, limits, new KeptMessages(() -> 0, System::nanoTime));
    private final Listener listener = new Listener(broker, new InetSocketAddress("127.0.0.1", 0));
    private final List<Connection> subscribers = new ArrayList<>();

    private FilterTiming() {
        listener.setConnectionCallback(connection -> {
            connection.setCloseCallback(failure -> {});
            if (connection.role() == Role.SUBSCRIBER) {
                out.addConnection(connection);
            }
            accepted.add(connection);
        });
    }

    /**
     * Prints the times for each number of matching filters.
     *
     * @param args number of topics (default 10,000), and number of times that a topic leaves and rejoins (default
     *     3,000)
     */
    public static void main(String[] args) throws Exception {
        int topicCount = args.length > 0 ? Integer.parseInt(args[0]) : 10_000;
        int changeCount = args.length > 1 ? Integer.parseInt(args[1]) : 3_000;
        for (int connectionCount : new int[] {1, 10}) {
            for (int matchCount : new int[] {0, 1, 10, 100, 1000}) {
                new FilterTiming().measure(connectionCount, matchCount, topicCount, changeCount);
            }
        }
    }

    private void measure(int connectionCount, int matchCount, int topicCount, int changeCount) throws Exception {
        Connection publishers = connect(Role.PUBLISHER);
        ConnectedPublisher publisher = new ConnectedPublisher(
                1, GreetingLayout.read(GreetingLayout.write("p", "")), publishers, Principals.ALL);
        List<ConnectedSubscriber> connected = new ArrayList<>();
        for (int i = 0; i < connectionCount; i++) {
            subscribers.add(connect(Role.SUBSCRIBER));
            connected.add(new ConnectedSubscriber(
                    subscribers.get(i),
                    GreetingLayout.read(GreetingLayout.write("s" + i, "")),
                    Principals.ALL,
                    () -> 100_000));
        }
        for (int i = 0; i < FILTER_COUNT; i++) {
            String filter = i < matchCount ? "building/+/floor/#" : "street/" + i + "/#";
            topics.subscribe(new TopicReader(connected.get(i % connectionCount), i, TopicFilter.of(filter), null));
        }
        List<TopicBuffer> buffers = new ArrayList<>();
        for (int i = 0; i < topicCount; i++) {
            String topic = "building/" + i % 1000 + "/floor/" + i % 10 + "/room/" + i;
            buffers.add(new TopicBuffer(publisher, topic, RULE, i, i, CAPACITY));
        }
        String title = connectionCount + " connections, " + matchCount + " matching filters: ";
        long[] first = new long[topicCount];
        for (int i = 0; i < topicCount; i++) {
            first[i] = join(buffers.get(i));
        }
        print(title + "first joins", first);
        Collections.shuffle(buffers, new Random(SEED));
        long[] joins = new long[changeCount];
        long[] leaves = new long[changeCount];
        for (int i = 0; i < changeCount; i++) {
            TopicBuffer buffer = buffers.get(i % topicCount);
            long startNs = System.nanoTime();
            topics.leave(buffer, null, null);
            leaves[i] = System.nanoTime() - startNs;
            out.removeBuffer(buffer.bufferId());
            int id = topicCount + i; // the previous buffer may still be drained
            TopicBuffer next = new TopicBuffer(publisher, buffer.topic(), RULE, id, id, CAPACITY);
            joins[i] = join(next);
            buffers.set(i % topicCount, next);
        }
        print(title + "joins with " + topicCount + " topics", joins);
        print(title + "leaves with " + topicCount + " topics", leaves);
        if (connected.stream().anyMatch(ConnectedSubscriber::isUnresponsive)) {
            throw new IllegalStateException("a subscriber did not read fast enough, so the times are not valid");
        }
        clients.close();
        broker.close();
    }

    /**
     * Returns the duration of one join in nanoseconds. Before the measurement, waits until earlier notices have been
     * sent.
     */
    private long join(TopicBuffer buffer) throws InterruptedException {
        CountDownLatch sent = new CountDownLatch(subscribers.size());
        subscribers.forEach(subscriber -> subscriber.executeAfterControlMessages(sent::countDown));
        sent.await();
        out.createBuffer(buffer.bufferId(), CAPACITY);
        long startNs = System.nanoTime();
        topics.join(buffer);
        return System.nanoTime() - startNs;
    }

    private Connection connect(Role role) throws Exception {
        ConnectOptions options = ConnectOptions.as(role, connection -> connection.setCloseCallback(failure -> {}))
                .withGreeting(GreetingLayout.write("timing", ""));
        clients.connect(listener.address(), options).get(60, TimeUnit.SECONDS);
        return accepted.take();
    }

    private static void print(String title, long... timesNs) {
        Arrays.sort(timesNs);
        System.out.printf(
                Locale.ROOT,
                "%s: p50 %.1f us, p99 %.1f us, p99.9 %.1f us, longest %.1f us%n",
                title,
                quantile(timesNs, 0.5),
                quantile(timesNs, 0.99),
                quantile(timesNs, 0.999),
                quantile(timesNs, 1));
    }

    private static double quantile(long[] sortedNs, double quantile) {
        return sortedNs[(int) Math.ceil(quantile * sortedNs.length) - 1] / 1e3;
    }
}
