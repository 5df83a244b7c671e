package io.rocketbufs.rbmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.management.ThreadMXBean;
import io.rocketbufs.Role;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of the broker's resource usage when one client has thousands of topics. */
@Timeout(600)
final class ManyTopicsSystemTest {
    private static final int COUNT = 500;

    private final RunningBroker running = new RunningBroker("rocketbufs.tcp.num-threads = 1");

    @AfterEach
    void close() {
        running.close();
    }

    @Test
    void shouldUseLittleHeapPerTopic() throws Exception {
        RawClient publisher = new RawClient(running, Role.PUBLISHER);
        publisher.createBuffer(0, 16);
        publisher.announce(0, 16, "first");
        await().until(() -> running.broker().topics().size() == 1);
        long before = allocatedByWorkers();
        for (int i = 1; i <= COUNT; i++) {
            publisher.createBuffer(i, 16);
            publisher.announce(i, 16, "topic " + i);
        }
        await().until(() -> running.broker().state().topicCount() == 1 + COUNT);
        assertThat((allocatedByWorkers() - before) / COUNT).isLessThan(64 * 1024);
    }

    /**
     * Returns the number of bytes allocated by the workers of the broker and the client. The client's buffers are not
     * included, because they are created on the test's thread.
     */
    private static long allocatedByWorkers() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long allocated = 0;
        for (long id : threads.getAllThreadIds()) {
            var info = threads.getThreadInfo(id);
            if (info != null && info.getThreadName().startsWith("rocketnet-tcp-worker")) {
                allocated += threads.getThreadAllocatedBytes(id);
            }
        }
        return allocated;
    }
}
