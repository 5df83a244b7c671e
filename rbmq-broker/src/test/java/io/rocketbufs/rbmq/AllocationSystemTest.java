package io.rocketbufs.rbmq;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.rbmq.client.Claim;
import io.rocketbufs.rbmq.client.HeaderVisitor;
import io.rocketbufs.rbmq.client.Headers;
import io.rocketbufs.rbmq.client.Message;
import io.rocketbufs.rbmq.client.MessageHandler;
import io.rocketbufs.rbmq.client.MessageHeaders;
import io.rocketbufs.rbmq.client.PublishBatch;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.SubscriberCallback;
import io.rocketbufs.rbmq.client.TopicPublisher;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that messages and transfers allocate no objects in the steady state, over any pair of transports. The tests
 * cover the publishing thread and the workers of the publisher, the broker and the subscribers. Publisher, broker and
 * subscribers each have their own RocketBufs with one worker for each transport.
 *
 * <p>For each thread, the round with the fewest allocations counts, because an allocation that does not occur in every
 * round is not caused by messages. Heartbeats allocate objects, but their interval is so long that no heartbeat is sent
 * during a round.
 */
@Timeout(600)
@ParameterizedClass
// Uses all pairs, not only the selected ones, because each JVM compiles the code differently.
@MethodSource("io.rocketbufs.rbmq.TransportPair#tested")
final class AllocationSystemTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final String SETTINGS = "rocketbufs { heartbeat-interval = 2 m, heartbeat-timeout = 10 m,"
            + " tcp { num-threads = 1, io = epoll } }";

    /** Number of bytes per message below which a thread counts as not allocating. */
    private static final double NOTHING = 0.01;

    /** Time between two ticks of a connection's clock. Each tick allocates a timer, as does each sample of a wait. */
    private static final long TICK_NS = 500_000_000;

    private static final long TICK_LENGTH = 3000;
    /**
     * Maximum number of ticks whose allocations are subtracted. These ticks allocate fewer bytes than {@link #FEW}
     * messages or transfers would with one object each. A longer round counts as if it had only this number of ticks.
     */
    private static final long MAX_TICKS = 10;

    /** Number of messages in a round if each message takes long. */
    private static final int FEW = 2_000;

    private static final int ROUNDS = 20;

    private final Map<String, Long> threads = new LinkedHashMap<>();
    private final Arrivals arrivals = new Arrivals(Thread.currentThread());
    private final Set<Long> known = new HashSet<>(workers().keySet());
    private final String[] settings;
    private final RunningBroker running;
    private TopicPublisher publisher;

    AllocationSystemTest(TransportPair pair) {
        settings = Stream.concat(Stream.of(SETTINGS), pair.settings().stream()).toArray(String[]::new);
        running = new RunningBroker(settings);
    }

    @AfterEach
    void close() {
        running.close();
    }

    @Test
    void shouldAllocateNothingWhenSmallMessagesAreBatched() throws Exception {
        open(1);
        byte[] message = new byte[16];
        assertNothingAllocated(200_000, count -> {
            for (int i = 0; i < count; i++) {
                check(publisher.publish(message));
            }
            arrivals.await(count);
        });
    }

    @Test
    void shouldAllocateNothingWhenOneCallPublishesManyMessages() throws Exception {
        open(1);
        byte[] message = new byte[16];
        PublishBatch batch = publisher.batch();
        assertNothingAllocated(200_000, count -> {
            for (int i = 1; i <= count; i++) {
                if (i % 4 == 0) {
                    Claim claim = batch.claim(message.length);
                    claim.putLong(0, i);
                    check(claim.commit());
                } else if (!batch.add(message)) {
                    throw new IllegalStateException("add() refused: " + batch.refusal());
                }
                if (i % 50 == 0) {
                    check(batch.publish());
                }
            }
            arrivals.await(count);
        });
    }

    @Test
    void shouldAllocateNothingWhenLargeMessagesWaitForSpace() throws Exception {
        open(2);
        int length = 16 << 10;
        assertNothingAllocated(FEW, count -> {
            for (int i = 0; i < count; i++) {
                Claim claim = publisher.claim(length);
                ByteBuffer vec = claim.vec(0);
                vec.put(vec.position(), (byte) i);
                check(claim.commit());
            }
            arrivals.await(2L * count);
        });
    }

    @Test
    void shouldAllocateNothingWhenEachMessageIsSentAlone() throws Exception {
        open(1);
        byte[] message = new byte[16];
        assertNothingAllocated(FEW, count -> {
            for (int i = 1; i <= count; i++) {
                check(publisher.publish(message));
                arrivals.await(i);
            }
        });
    }

    @Test
    void shouldAllocateNothingWhenMessagesHaveHeaders() throws Exception {
        open(1);
        byte[] message = new byte[16];
        Headers headers = new Headers();
        assertNothingAllocated(FEW, count -> {
            for (int i = 0; i < count; i++) {
                headers.set("correlation", i).set("k\u00e4y", "gr\u00fcn").set("content-type", "text/plain");
                check(publisher.publish(headers, message));
                Claim claim = publisher.claim(message.length, headers);
                claim.putLong(0, i);
                check(claim.commit(8));
            }
            arrivals.await(2L * count);
        });
        assertThat(arrivals.headerCount).isGreaterThanOrEqualTo(2 * FEW * 3);
    }

    private void open(int subscriptions) throws Exception {
        name("broker");
        RocketBufs subscribers = running.opened(RocketBufs.open(RunningBroker.config(settings)));
        for (int i = 0; i < subscriptions; i++) {
            Subscriber subscriber = running.opened(
                    Subscriber.connect(subscribers, running.subscriberSettings(), new SubscriberCallback() {}));
            subscriber.subscribe("t", arrivals).ready().get(60, TimeUnit.SECONDS);
        }
        name("subscriber");
        publisher = running.publisher().topic("t");
        publisher.announced().get(60, TimeUnit.SECONDS);
        name("publisher");
        threads.put("publishing thread", Thread.currentThread().getId());
    }

    /** Assigns a name to the workers that have started since the previous call. */
    private void name(String name) {
        Map<Long, String> added = workers();
        added.keySet().removeAll(known);
        assertThat(added).as(name).isNotEmpty();
        added.forEach((id, thread) -> threads.put(name + " " + thread, id));
        known.addAll(added.keySet());
    }

    private static Map<Long, String> workers() {
        Map<Long, String> workers = new HashMap<>();
        for (ThreadInfo thread : THREADS.getThreadInfo(THREADS.getAllThreadIds())) {
            if (thread != null && thread.getThreadName().matches("rocketnet-(tcp-worker|shm-worker|rdma-monitor)-.*")) {
                workers.put(thread.getThreadId(), thread.getThreadName());
            }
        }
        return workers;
    }

    private void assertNothingAllocated(int count, IntConsumer round) {
        long[] ids = threads.values().stream().mapToLong(id -> id).toArray();
        long[] before = new long[ids.length];
        long[] after = new long[ids.length];
        long[] best = new long[ids.length];
        Arrays.fill(best, Long.MAX_VALUE);
        for (int i = 0; i < ROUNDS && Arrays.stream(best).max().getAsLong() >= NOTHING * count; i++) {
            arrivals.reset();
            readAllocated(ids, before);
            long beginNs = System.nanoTime();
            round.accept(count);
            long ofTicks = TICK_LENGTH * Math.min(MAX_TICKS, (System.nanoTime() - beginNs) / TICK_NS + 1);
            readAllocated(ids, after);
            for (int thread = 0; thread < ids.length; thread++) {
                best[thread] = Math.min(best[thread], Math.max(0, after[thread] - before[thread] - ofTicks));
            }
        }
        Map<String, Double> perMessage = new LinkedHashMap<>();
        for (String name : threads.keySet()) {
            perMessage.put(name, (double) best[perMessage.size()] / count);
        }
        System.out.println("bytes allocated per message: " + perMessage);
        assertThat(perMessage.values())
                .as("bytes allocated per message: %s", perMessage)
                .allMatch(bytes -> bytes < NOTHING);
    }

    private static void readAllocated(long[] ids, long[] into) {
        for (int i = 0; i < ids.length; i++) {
            into[i] = THREADS.getThreadAllocatedBytes(ids[i]);
        }
    }

    private static void check(PublishResult result) {
        if (result != PublishResult.PUBLISHED) {
            throw new IllegalStateException("publish() returned " + result);
        }
    }

    /** A counter of the messages that arrive at all subscribers on their shared worker. It wakes the waiting thread. */
    private static final class Arrivals implements MessageHandler {
        private final Thread waiting;
        private long length;
        private volatile long count;
        private volatile long awaited = Long.MAX_VALUE;
        private volatile long headerCount;
        private final HeaderVisitor reading = header -> {
            length += header.getByte(0);
            headerCount++;
        };

        Arrivals(Thread waiting) {
            this.waiting = waiting;
        }

        @Override
        public void onMessage(Message message) {
            length += message.vec(0).remaining();
            MessageHeaders headers = message.headers();
            if (headers.getLong("correlation", -1) >= 0 && headers.has("k\u00e4y")) {
                headers.forEach(reading);
            }
            count++;
            if (count >= awaited) {
                awaited = Long.MAX_VALUE;
                LockSupport.unpark(waiting);
            }
        }

        void reset() {
            count = 0;
        }

        void await(long wanted) {
            while (count < wanted) {
                awaited = wanted;
                if (count < wanted) {
                    LockSupport.park(this);
                }
                if (Thread.interrupted()) {
                    throw new IllegalStateException("interrupted after " + count + " messages");
                }
            }
        }
    }
}
