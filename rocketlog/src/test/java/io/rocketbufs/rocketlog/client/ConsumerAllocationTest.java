package io.rocketbufs.rocketlog.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.management.ThreadMXBean;
import io.rocketbufs.rocketlog.RunningLogBroker;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a consumer allocates no memory per record. */
@Timeout(600)
final class ConsumerAllocationTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int RECORDS = 20_000;
    private static final int ROUNDS = 15;
    /**
     * Allowance in bytes for reads, each of which returns thousands of records. One object per record would need
     * 320,000 bytes.
     */
    private static final long READS_LENGTH = 20_000;

    @TempDir
    Path folder;

    private long sum;

    @Test
    void shouldAllocateNothingForARecord() {
        measure(new RunningLogBroker(folder).withTopic("orders", 1));
    }

    @Test
    void shouldAllocateNothingForARecordInMemory() {
        measure(new RunningLogBroker(folder).withMemoryTopic("orders", 1, 256 << 20));
    }

    @Test
    void shouldAllocateNothingForAPollThroughSharedMemory() {
        RunningLogBroker.assume("shm", folder);
        try (RunningLogBroker running =
                        new RunningLogBroker(folder, "rocketbufs.transport = shm").withTopic("orders", 1);
                LogConsumer consumer =
                        LogConsumer.open(running.clients(), running.settings(), "orders", ConsumerOptions.DEFAULTS)) {
            await().until(consumer::readsDirectly);
            RecordCallback callback = (partition, offset, timestamp, key, value) -> true;
            long least = Long.MAX_VALUE;
            for (int round = 0; round < ROUNDS; round++) {
                long allocated = THREADS.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < RECORDS; i++) {
                    sum += consumer.poll(0, callback);
                }
                least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - allocated);
            }
            assertThat(least).isLessThan(RECORDS / 2);
            assertThat(sum).isZero();
        }
    }

    private void measure(RunningLogBroker started) {
        try (RunningLogBroker running = started;
                LogProducer producer =
                        LogProducer.open(running.clients(), running.settings(), "orders", ProducerCallback.NONE);
                LogConsumer consumer =
                        LogConsumer.open(running.clients(), running.settings(), "orders", ConsumerOptions.DEFAULTS)) {
            RecordCallback callback = (partition, offset, timestamp, key, value) -> {
                sum += value.getLong() + key.remaining();
                return true;
            };
            ByteBuffer key = ByteBuffer.allocate(3);
            ByteBuffer value = ByteBuffer.allocate(50);
            long least = Long.MAX_VALUE;
            for (int round = 0; round < ROUNDS && least > READS_LENGTH; round++) {
                for (int i = 0; i < RECORDS; i++) {
                    while (producer.send(0, key, value) == LogProducer.NO_SPACE) {
                        producer.awaitSpace();
                    }
                }
                producer.flush();
                long allocated = THREADS.getCurrentThreadAllocatedBytes();
                int count = 0;
                while (count < RECORDS) {
                    count += consumer.poll(1000, callback);
                }
                least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - allocated);
            }
            System.out.println("bytes allocated for " + RECORDS + " records: " + least);
            assertThat(least).isLessThanOrEqualTo(READS_LENGTH);
            assertThat(sum).isPositive();
        }
    }
}
