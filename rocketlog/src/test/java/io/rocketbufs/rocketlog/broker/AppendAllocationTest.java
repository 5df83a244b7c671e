package io.rocketbufs.rocketlog.broker;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.rocketbufs.rocketlog.RunningLogBroker;
import io.rocketbufs.rocketlog.client.LogClientSettings.ProduceMode;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that the broker allocates no memory while it receives, copies, checks, appends and acknowledges a batch. */
@Timeout(600)
final class AppendAllocationTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int BATCHES = 2000;
    private static final int UNDER_WAY = 500;
    private static final int ROUNDS = 15;
    /**
     * Allowance in bytes for the timers that the connections' periodic ticks allocate, regardless of the batches. One
     * object per batch would need 32,000 bytes.
     */
    private static final long CLOCK_LENGTH = 20_000;

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource(ProduceMode.class)
    void shouldAllocateNothingForABatch(ProduceMode mode) throws Exception {
        append("tcp", mode);
    }

    @ParameterizedTest
    @EnumSource(ProduceMode.class)
    @Tag("slow")
    void shouldAllocateNothingForABatchOverSharedMemory(ProduceMode mode) throws Exception {
        append("shm", mode);
    }

    @ParameterizedTest
    @EnumSource(ProduceMode.class)
    @Tag("slow")
    void shouldAllocateNothingForABatchOverRdma(ProduceMode mode) throws Exception {
        append("rdma", mode);
    }

    private void append(String transport, ProduceMode mode) throws Exception {
        RunningLogBroker.assume(transport, folder);
        String settings = "rocketbufs { transport = " + transport
                + ", heartbeat-interval = 2 m, heartbeat-timeout = 10 m,"
                + " tcp { num-threads = 1, io = epoll }, shm.num-threads = 1, rdma.num-threads = 1 }\n"
                + "rocketlog { index-interval = 16 MiB, produce.direct.topics = [orders] }";
        List<Long> before = workers(transport);
        try (RunningLogBroker running = new RunningLogBroker(folder, settings)) {
            running.withTopic("orders", 1);
            List<Long> workers = workers(transport);
            workers.removeAll(before);
            RawProducer producer = running.opened(new RawProducer(running.clients(), running.address()));
            producer.announce("orders");
            RawProducer.Written log = switch (mode) {
                case PRIVATE -> null;
                case EXCLUSIVE -> producer.lease(0);
                case SHARED -> producer.share(0, 7);
            };
            long brokersWorker = Collections.min(workers); // the broker's worker was started first
            int sequence = 0;
            long least = Long.MAX_VALUE;
            for (int round = 0; round < ROUNDS && least > CLOCK_LENGTH; round++) {
                List<ByteBuffer> batches = new ArrayList<>();
                for (int i = 0; i < BATCHES; i++) {
                    batches.add(RawProducer.batch(7, 0, sequence++, "some value"));
                }
                long allocated = THREADS.getThreadAllocatedBytes(brokersWorker);
                if (mode == ProduceMode.SHARED) {
                    for (ByteBuffer batch : batches) {
                        log.writeTo(log.reserve(batch), batch);
                    }
                } else if (mode == ProduceMode.EXCLUSIVE) {
                    for (int i = 0; i < BATCHES; i += UNDER_WAY) {
                        batches.subList(i, i + UNDER_WAY).forEach(log::write);
                        producer.awaitResults(sequence - BATCHES + i + UNDER_WAY);
                    }
                } else {
                    batches.forEach(batch -> producer.send(0, batch));
                }
                producer.awaitResults(sequence);
                least = Math.min(least, THREADS.getThreadAllocatedBytes(brokersWorker) - allocated);
            }
            System.out.println("bytes allocated for " + BATCHES + " batches: " + least);
            assertThat(least).isLessThanOrEqualTo(CLOCK_LENGTH);
        }
    }

    private static List<Long> workers(String transport) {
        List<Long> ids = new ArrayList<>();
        for (ThreadInfo thread : THREADS.getThreadInfo(THREADS.getAllThreadIds())) {
            if (thread != null && thread.getThreadName().startsWith("rocketnet-" + transport + "-worker-")) {
                ids.add(thread.getThreadId());
            }
        }
        return ids;
    }
}
