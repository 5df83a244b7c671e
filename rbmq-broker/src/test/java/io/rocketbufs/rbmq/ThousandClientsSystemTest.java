package io.rocketbufs.rbmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.rbmq.broker.RbmqBroker;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.SubscriberCallback;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.text.HostPort;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of a thousand clients that lose their broker at the same time and have the address of another broker. */
@Tag("once")
@Timeout(600)
final class ThousandClientsSystemTest {
    private static final int COUNT = 1000;
    private static final int WINDOW_MS = 10;
    /** Time limit in seconds. Each client connects twice and subscribes twice, which takes long on a busy machine. */
    private static final int WAIT_S = 300;
    /** Number of clients that connect concurrently. */
    private static final int CONNECTING = 50;

    /** Two thousand connections through shared memory would need gigabytes of memory. */
    private static final Config CONFIG =
            ConfigFactory.parseString("rocketbufs.transport = tcp").withFallback(ConfigFactory.load());

    private final Queue<Long> firstDelaysMs = new ConcurrentLinkedQueue<>();
    private final AtomicInteger receivedCount = new AtomicInteger();

    @Test
    void shouldComeBackButNotAtOnce() throws Exception {
        // A thousand subscribers may need longer than the default join timeout and would then miss the publisher's
        // message.
        try (RbmqBroker next =
                        RbmqBroker.start(ConfigFactory.parseMap(Map.of("rbmq.broker.join-timeout", WAIT_S + " s")));
                RbmqBroker first = RbmqBroker.start();
                RocketBufs rocketBufs = RocketBufs.open(CONFIG)) {
            ClientSettings settings = ClientSettings.from(CONFIG)
                    .withBrokers(List.of(HostPort.parse(first.address()), HostPort.parse(next.address())));
            List<Subscriber> subscribers = connectAll(rocketBufs, settings);
            await().atMost(WAIT_S, TimeUnit.SECONDS)
                    .until(() -> first.broker().state().subscriberCount() == COUNT);
            first.rocketBufs().close(); // ends the broker abruptly, like the end of its process
            await().atMost(WAIT_S, TimeUnit.SECONDS)
                    .until(() -> subscribers.stream().allMatch(each -> each.reconnectCount() >= 1));
            await().atMost(WAIT_S, TimeUnit.SECONDS)
                    .until(() -> next.broker().topics().stream()
                            .anyMatch(topic -> topic.subscribers().size() == COUNT));
            assertThat(firstDelaysMs).hasSize(COUNT).allMatch(delayMs -> delayMs >= 70 && delayMs <= 130);
            assertThat(mostWithin(WINDOW_MS)).as("attempts within 10 ms").isLessThan(COUNT / 4);

            try (Publisher publisher =
                    Publisher.connect(rocketBufs, settings.withBrokers(List.of(HostPort.parse(next.address()))))) {
                publisher.publish("t", new byte[1]);
                await().atMost(WAIT_S, TimeUnit.SECONDS).until(() -> receivedCount.get() == COUNT);
            }
            subscribers.forEach(Subscriber::close);
        }
    }

    private List<Subscriber> connectAll(RocketBufs rocketBufs, ClientSettings settings) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(CONNECTING);
        try {
            List<Future<Subscriber>> connecting = new ArrayList<>();
            for (int i = 0; i < COUNT; i++) {
                connecting.add(threads.submit(() -> connect(rocketBufs, settings)));
            }
            List<Subscriber> subscribers = new ArrayList<>();
            for (Future<Subscriber> each : connecting) {
                subscribers.add(each.get());
            }
            return subscribers;
        } finally {
            threads.shutdownNow();
        }
    }

    private Subscriber connect(RocketBufs rocketBufs, ClientSettings settings) {
        Subscriber subscriber = Subscriber.connect(rocketBufs, settings, new Delays());
        subscriber.subscribe("t", message -> receivedCount.incrementAndGet());
        return subscriber;
    }

    private int mostWithin(int windowMs) {
        int[] counts = new int[1000 / windowMs];
        firstDelaysMs.forEach(delayMs -> counts[(int) (delayMs / windowMs)]++);
        return IntStream.of(counts).max().orElseThrow();
    }

    private final class Delays implements SubscriberCallback {
        private boolean isFirst = true;

        @Override
        public void onDisconnected(TransportException cause, long nextAttemptMs) {
            if (isFirst) {
                firstDelaysMs.add(nextAttemptMs);
            }
            isFirst = false;
        }
    }
}
