package io.rocketbufs.rocketlog.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.rocketlog.RunningLogBroker;
import io.rocketbufs.rocketlog.client.ConsumerOptions;
import io.rocketbufs.rocketlog.client.ConsumerStart;
import io.rocketbufs.rocketlog.client.LogConsumer;
import io.rocketbufs.rocketlog.client.LogProducer;
import io.rocketbufs.rocketlog.client.ProducerCallback;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of a broker with a thousand partitions and a hundred idle consumers. Requires a quiet machine. */
@Tag("slow")
@Timeout(600)
final class IdleBrokerSystemTest {
    private static final int PARTITIONS = 1000;
    private static final int CONSUMERS = 100;
    private static final int PARTITIONS_OF_CONSUMER = PARTITIONS / CONSUMERS;
    private static final long MEASURED_S = 60;
    private static final long TICKS_PER_S = 100;
    private static final long MOST_MEMORY_KIB = 1_500_000;
    private static final long MOST_START_MS = 3000;
    /**
     * Maximum number of wake-ups per second, twice the usual number. The timers of all connections wake the worker 4
     * times, the peers' heartbeats about 4 times, and the other threads, mostly the JVM's, wake up about 7 times.
     */
    private static final long MOST_WAKE_UPS = 30;

    @TempDir
    Path folder;

    private final List<LogConsumer> consumers = new ArrayList<>();
    private volatile boolean isEnded;

    private static long number(Path file, String key) throws IOException {
        for (String line : Files.readAllLines(file)) {
            if (line.startsWith(key)) {
                return Long.parseLong(line.substring(key.length()).replaceAll("[^0-9]", ""));
            }
        }
        throw new IOException(file + " does not contain " + key);
    }

    /** Returns the number of times that the broker's threads have woken up. */
    private static long wakeUps(BrokerProcess broker) throws IOException {
        long sum = 0;
        try (Stream<Path> threads = Files.list(Path.of("/proc/" + broker.pid() + "/task"))) {
            for (Path each : threads.toList()) {
                sum += number(each.resolve("status"), "voluntary_ctxt_switches:");
            }
        }
        return sum;
    }

    /** Returns the broker's user and system processor time in ticks of 10 ms. */
    private static long ticks(BrokerProcess broker) throws IOException {
        String stat = Files.readString(Path.of("/proc/" + broker.pid() + "/stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
    }

    private BrokerProcess start(String transport, int port) throws IOException {
        return BrokerProcess.start(
                folder.resolve("data"), port, "rocketbufs.transport=" + transport, "rocketbufs.rdma.provider=tcp");
    }

    private void openConsumers(RocketBufs rocketBufs, BrokerProcess broker, List<Thread> threads) {
        for (int i = 0; i < CONSUMERS; i++) {
            ConsumerOptions options = ConsumerOptions.DEFAULTS;
            for (int j = 0; j < PARTITIONS_OF_CONSUMER; j++) {
                options = options.withPartition(i * PARTITIONS_OF_CONSUMER + j, ConsumerStart.EARLIEST);
            }
            LogConsumer consumer = LogConsumer.open(rocketBufs, broker.settings(folder), "many", options);
            consumers.add(consumer);
            Thread thread = new Thread(() -> {
                while (!isEnded) {
                    consumer.poll(1000, (partition, offset, timestamp, key, value) -> true);
                }
            });
            threads.add(thread);
            thread.start();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm", "rdma"})
    void shouldStartAtOnceAndCostLittleWhileNothingHappens(String transport) throws Exception {
        RunningLogBroker.assume(transport, folder);
        List<Thread> threads = new ArrayList<>();
        BrokerProcess broker = start(transport, 0);
        try (RocketBufs rocketBufs =
                RocketBufs.open(RunningLogBroker.config(folder, "rocketbufs.transport = " + transport))) {
            broker.createTopic(rocketBufs, folder, "many", PARTITIONS);
            try (LogProducer producer =
                    LogProducer.open(rocketBufs, broker.settings(folder), "many", ProducerCallback.NONE)) {
                for (int i = 0; i < PARTITIONS; i++) {
                    producer.append(i, null, ByteBuffer.allocate(100));
                }
                producer.flush();
            }
            int port = broker.port();
            broker.close();
            long begun = System.nanoTime();
            broker = start(transport, port);
            long startMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
            openConsumers(rocketBufs, broker, threads);
            try {
                measure(transport, broker, startMs);
            } finally {
                isEnded = true;
                for (Thread each : threads) {
                    each.join();
                }
                consumers.forEach(LogConsumer::close);
            }
        } finally {
            broker.close();
        }
    }

    private static void measure(String transport, BrokerProcess broker, long startMs) throws IOException {
        LockSupport.parkNanos(
                TimeUnit.SECONDS.toNanos(20)); // until the consumers wait and the JVM has finished compiling
        long wakeUps = wakeUps(broker);
        long ticks = ticks(broker);
        LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(MEASURED_S));
        long wakeUpsPerS = (wakeUps(broker) - wakeUps) / MEASURED_S;
        double percent = 100.0 * (ticks(broker) - ticks) / TICKS_PER_S / MEASURED_S;
        long memoryKib = number(Path.of("/proc/" + broker.pid() + "/status"), "VmRSS:");
        System.out.println(transport + ": start " + startMs + " ms, wake-ups " + wakeUpsPerS + "/s, processor "
                + percent + " %, memory " + memoryKib + " KiB");
        assertThat(wakeUpsPerS).isLessThan(MOST_WAKE_UPS);
        assertThat(memoryKib).isLessThan(MOST_MEMORY_KIB);
        assertThat(startMs).isLessThan(MOST_START_MS);
        assertThat(percent).isLessThan(0.5);
    }
}
