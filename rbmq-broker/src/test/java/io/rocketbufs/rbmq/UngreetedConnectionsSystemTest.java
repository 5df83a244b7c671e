package io.rocketbufs.rbmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of thousands of connections whose clients send nothing. */
@Tag("slow")
@Timeout(600)
final class UngreetedConnectionsSystemTest {
    private static final int COUNT = 10_000;
    private static final int ALLOWED = 1000;

    @Test
    void shouldServeOthersWhileTenThousandConnectionsNeverGreet() throws Exception {
        long descriptors =
                ((UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getMaxFileDescriptorCount();
        assumeTrue(descriptors > COUNT + 2 * ALLOWED, "only " + descriptors + " file descriptors are allowed");
        List<Socket> silent = new ArrayList<>();
        try (RunningBroker running = new RunningBroker("rbmq.client.connect-timeout = 60 s")) {
            Messages received = new Messages();
            running.subscriber().subscribe("t", received).ready().get(60, TimeUnit.SECONDS);
            for (int i = 0; i < COUNT; i++) {
                Socket socket = new Socket();
                silent.add(socket);
                socket.connect(running.address());
                if (i % ALLOWED == 0) {
                    running.publisher().publish("t", ("" + i).getBytes(StandardCharsets.UTF_8));
                }
            }
            await().atMost(60, TimeUnit.SECONDS).until(() -> received.count() == COUNT / ALLOWED);
            assertThat(running.broker().state().subscriberCount()).isEqualTo(1);
        } finally {
            for (Socket socket : silent) {
                socket.close();
            }
        }
    }
}
