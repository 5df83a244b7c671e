package io.rocketbufs.rocketnet.rdma;

import static io.rocketbufs.rocketnet.rdma.RdmaRecordingHandler.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.Transport;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests of a worker that is busy for a long time while its monitor reads more completions than the ring between them
 * can hold.
 */
@Timeout(600)
final class RdmaHandoverTest {
    private static final int CONNECTIONS = 90;
    /** Number of messages per connection. It is less than the number of receives, so that no sender has to wait. */
    private static final int MESSAGES = 100;

    @Test
    void shouldDeliverEverythingToABusyWorkerAfterThePeersHaveGone() throws Exception {
        try (RdmaEnds ends = new RdmaEnds("num-threads = 1");
                Transport others = new RdmaTransportProvider().open(RdmaEnds.config(ConfigFactory.load()))) {
            List<RdmaRecordingHandler> clients = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                RdmaRecordingHandler client = new RdmaRecordingHandler(ends.memory, 4096);
                others.connect(ends.listener.address(), client::of).get(60, TimeUnit.SECONDS);
                ends.accepted(i);
                clients.add(client);
            }
            CountDownLatch busy = new CountDownLatch(1);
            ends.accepted(0).connection().worker().execute(() -> awaitQuietly(busy));
            clients.forEach(RdmaHandoverTest::sendAndLeave);
            clients.forEach(client -> client.awaitEvent("closed"));
            busy.countDown();

            List<String> expected = new ArrayList<>(
                    IntStream.range(0, MESSAGES).mapToObj(i -> "control " + i).toList());
            expected.add("finished");
            for (int i = 0; i < CONNECTIONS; i++) {
                RdmaRecordingHandler server = ends.accepted(i);
                await().untilAsserted(() -> assertThat(server.events()).startsWith(expected.toArray(String[]::new)));
            }
        }
    }

    private static void sendAndLeave(RdmaRecordingHandler client) {
        client.connection().worker().execute(() -> {
            for (int i = 0; i < MESSAGES; i++) {
                ByteBuffer message = ByteBuffer.wrap(Integer.toString(i).getBytes(StandardCharsets.UTF_8));
                assertThat(client.connection().send(message)).isEqualTo(PostResult.SENT);
            }
            client.connection().finish();
            client.connection().close();
        });
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
