package io.rocketbufs.rocketnet.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import io.rocketbufs.ConnectOptions;
import io.rocketbufs.Listener;
import io.rocketbufs.RIn;
import io.rocketbufs.ROut;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.Segment;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests of transfers with the lowest limits: buffers for two messages and the minimum number of receives. Both kinds of
 * credit run out constantly. No transfer may stall, and no message may be lost.
 */
@Timeout(600)
abstract class FewReceivesSuite {
    private static final int BUFFER = 1;
    private static final int LENGTH = Long.BYTES;
    private static final int CAPACITY = 2 * LENGTH;
    private static final long LIMIT_S = 50;

    private final String provider;
    private final String host;
    private final int portion;

    /**
     * Creates the suite. The suite divides its message counts by {@code portion}, which shortens the tests of a slow
     * provider.
     */
    FewReceivesSuite(String provider, String host, int portion) {
        this.provider = provider;
        this.host = host;
        this.portion = portion;
    }

    private RocketBufs open(int threads) {
        return RocketBufs.open(RdmaEnds.config(
                ConfigFactory.parseString("rocketbufs.transport = rdma").withFallback(ConfigFactory.load()),
                "provider = " + provider,
                "receives = 4",
                "window = 8",
                "signal-interval = 2",
                "inject-threshold = 0",
                "num-threads = " + threads));
    }

    @ParameterizedTest(name = "{0} subscribers, {1} workers")
    @CsvSource({"1, 0, 20000", "1, 1, 10000", "3, 0, 10000", "3, 2, 10000"})
    void shouldNeverStallWithACapacityOfTwoMessagesAndFourReceives(int subscribers, int threads, int most)
            throws Exception {
        try (RocketBufs sending = open(threads);
                RocketBufs receiving = open(threads)) {
            int count = most / portion;
            ROut out = new ROut(sending);
            out.createBuffer(BUFFER, CAPACITY);
            Listener listener = new Listener(sending, new InetSocketAddress(host, 0));
            listener.setConnectionCallback(out::addConnection);
            List<Counter> counters = new ArrayList<>();
            for (int i = 0; i < subscribers; i++) {
                counters.add(subscribe(receiving, listener.address(), count));
            }
            RdmaRecordingHandler.await().until(() -> out.subscriptionCount(BUFFER) == subscribers);
            CompletableFuture<Void> publisher = CompletableFuture.runAsync(() -> publish(out, count));
            for (Counter counter : counters) {
                counter.awaitEnd();
            }
            publisher.get(LIMIT_S, TimeUnit.SECONDS);
        }
    }

    private static Counter subscribe(RocketBufs receiving, InetSocketAddress address, int count) throws Exception {
        CompletableFuture<RIn> made = new CompletableFuture<>();
        receiving
                .connect(address, ConnectOptions.as(Role.SUBSCRIBER, connection -> made.complete(new RIn(connection))))
                .get(LIMIT_S, TimeUnit.SECONDS);
        RIn in = made.get(LIMIT_S, TimeUnit.SECONDS);
        Counter counter = new Counter(in, count);
        in.setDataInCallback(counter::onData);
        in.subscribe(BUFFER, CAPACITY).get(LIMIT_S, TimeUnit.SECONDS);
        return counter;
    }

    private static void publish(ROut out, int count) {
        for (long i = 0; i < count; i++) {
            Segment segment = out.getOutputSegment(BUFFER, LENGTH, true);
            if (segment.vecCount() < 0) {
                throw new AssertionError("message " + i + ": " + segment);
            }
            segment.putLong(0, i);
            out.deliver(segment, LENGTH);
        }
    }

    /** A counter of received messages. It checks the number that each message contains. */
    private static final class Counter {
        private final RIn in;
        private final int count;
        private final CompletableFuture<Integer> ended = new CompletableFuture<>();
        private volatile int next;

        Counter(RIn in, int count) {
            this.in = in;
            this.count = count;
        }

        /**
         * Waits for the last message as long as messages keep arriving. On a busy machine, messages arrive slowly; from
         * a stalled sender, no messages arrive.
         */
        void awaitEnd() throws Exception {
            for (int seen = -1; !ended.isDone(); ) {
                int now = next;
                assertThat(now)
                        .as("number of messages received, unchanged for %d s", LIMIT_S)
                        .isGreaterThan(seen);
                seen = now;
                try {
                    ended.get(LIMIT_S, TimeUnit.SECONDS);
                } catch (TimeoutException slow) {
                    // The next round asserts that at least one more message has arrived.
                }
            }
            assertThat(ended.get()).isEqualTo(count);
        }

        void onData(int bufferId, Segment data) {
            for (long at = 0; at < data.length(); at += LENGTH) {
                if (data.getLong(at) != next) {
                    ended.completeExceptionally(
                            new AssertionError("message " + next + " contains the number " + data.getLong(at)));
                }
                next = next + 1;
            }
            in.dataConsumed(bufferId, data.length());
            if (next == count) {
                ended.complete(next);
            }
        }
    }
}
