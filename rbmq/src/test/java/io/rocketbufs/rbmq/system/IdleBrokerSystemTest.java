package io.rocketbufs.rbmq.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.rbmq.RunningBroker;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.SubscriberCallback;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A test that a broker that only sends heartbeats uses hardly any processor time. */
@Tag("once")
@Timeout(600)
final class IdleBrokerSystemTest {
    private static final int CONNECTIONS = 10;
    /** Duration of one measurement, which includes two heartbeats on each connection. */
    private static final Duration WINDOW = Duration.ofSeconds(4);

    private static final double PART_OF_A_CORE = 0.005;

    /**
     * The test passes once the result of one of several windows is below the limit, because a new JVM is still
     * compiling code and ending threads.
     */
    @Test
    void shouldUseLessThanHalfAPercentOfACoreWithTenIdleConnections() throws Exception {
        try (BrokerProcess broker = BrokerProcess.start();
                RocketBufs rocketBufs = RocketBufs.open(RunningBroker.config())) {
            for (int i = 0; i < CONNECTIONS; i++) {
                connect(rocketBufs, broker)
                        .subscribe("t" + i, message -> {})
                        .ready()
                        .get(60, TimeUnit.SECONDS);
            }
            long[] before = {processorNs(broker), System.nanoTime()};
            Awaitility.await()
                    .pollInSameThread()
                    .pollDelay(WINDOW)
                    .pollInterval(WINDOW)
                    .atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> {
                        long usedNs = processorNs(broker) - before[0];
                        long passedNs = System.nanoTime() - before[1];
                        before[0] += usedNs;
                        before[1] += passedNs;
                        assertThat((double) usedNs / passedNs)
                                .as("%d us within %d ms", usedNs / 1000, passedNs / 1_000_000)
                                .isLessThan(PART_OF_A_CORE);
                    });
        }
    }

    private static Subscriber connect(RocketBufs rocketBufs, BrokerProcess broker) {
        String[] address = broker.address().split(":");
        return Subscriber.connect(
                rocketBufs,
                ClientSettings.subscriber(RunningBroker.config()).withBroker(address[0], Integer.parseInt(address[1])),
                new SubscriberCallback() {});
    }

    /**
     * Returns the sum over all live threads, because the processor time of the process has a resolution of only 10 ms.
     */
    private static long processorNs(BrokerProcess broker) throws IOException {
        List<Path> threads;
        try (Stream<Path> all = Files.list(Path.of("/proc/" + broker.process().pid() + "/task"))) {
            threads = all.toList();
        }
        long sum = 0;
        for (Path thread : threads) {
            try {
                sum += Long.parseLong(
                        Files.readString(thread.resolve("schedstat")).split(" ")[0]);
            } catch (NoSuchFileException e) {
                // The thread has ended.
            }
        }
        return sum;
    }
}
