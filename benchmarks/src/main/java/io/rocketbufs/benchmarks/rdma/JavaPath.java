package io.rocketbufs.benchmarks.rdma;

import com.typesafe.config.Config;
import io.rocketbufs.ConnectOptions;
import io.rocketbufs.Connection;
import io.rocketbufs.Listener;
import io.rocketbufs.RIn;
import io.rocketbufs.ROut;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.Segment;
import io.rocketbufs.options.BufferOptions;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;

/**
 * A measurement of the path that an application's message takes in Java, from an output buffer of one node to an input
 * buffer of another. Coalescing is off, so each message is a separate write. Each measurement uses its own connection.
 *
 * <p><b>Thread-safety:</b> used by one thread.
 */
final class JavaPath implements JavaMeasurement {
    private static final int BUFFER_ID = 1;
    private static final int LEAST_CAPACITY = 1 << 20;
    private static final int LEAST_MESSAGES = 4;
    private static final long SETTLE_NS = 300_000_000L;
    private static final long LONGEST_NS = 60_000_000_000L;
    private static final long PATIENCE_S = 15;
    private static final double SECOND_NS = 1e9;

    private final InetSocketAddress address;
    private final RocketBufs sending;
    private final RocketBufs receiving;

    /**
     * Opens both nodes in this process.
     *
     * @param address an address to listen on
     */
    JavaPath(String address, Config config) {
        this.address = new InetSocketAddress(address, 0);
        this.sending = RocketBufs.open(config);
        this.receiving = RocketBufs.open(config);
    }

    @Override
    public double measure(Quantity quantity, int size, long durationMs) throws Exception {
        long durationNs = TimeUnit.MILLISECONDS.toNanos(durationMs);
        try (Listener listener = new Listener(receiving, address);
                End here = new End(sending, size);
                End there = new End(receiving, size)) {
            listener.setConnectionCallback(there::attach);
            sending.connect(listener.address(), ConnectOptions.as(Role.PEER, here::attach))
                    .get(PATIENCE_S, TimeUnit.SECONDS);
            here.subscribe();
            there.subscribe();
            return quantity == Quantity.RATE ? rate(here, there, durationNs) : halfRoundTrip(here, there, durationNs);
        }
    }

    private static double rate(End here, End there, long durationNs) {
        here.sendUntil(System.nanoTime() + SETTLE_NS);
        long beginNs = System.nanoTime();
        long begin = there.received.get();
        // Continue until at least one message has arrived, even on a busy machine.
        do {
            here.sendUntil(System.nanoTime() + durationNs);
        } while (there.received.get() == begin);
        return (there.received.get() - begin) * SECOND_NS / (System.nanoTime() - beginNs);
    }

    private static double halfRoundTrip(End here, End there, long durationNs) throws Exception {
        Histogram histogram = new Histogram(LONGEST_NS, 3);
        CompletableFuture<Double> median = new CompletableFuture<>();
        here.failed.whenComplete((nothing, failure) -> median.completeExceptionally(failure));
        long warmNs = System.nanoTime() + SETTLE_NS;
        long endNs = warmNs + durationNs;
        there.onMessage = there::send;
        here.onMessage = new Runnable() {
            private long startNs = System.nanoTime();

            @Override
            public void run() {
                long nowNs = System.nanoTime();
                if (startNs >= warmNs) {
                    histogram.recordValue((nowNs - startNs) / 2);
                }
                startNs = nowNs;
                if (nowNs < endNs || histogram.getTotalCount() == 0) {
                    here.send();
                } else {
                    median.complete((double) histogram.getValueAtPercentile(50));
                }
            }
        };
        // The worker also sends the first message, because an output buffer can have only one producer at a time.
        there.askForMessage();
        return median.get(PATIENCE_S + TimeUnit.NANOSECONDS.toSeconds(durationNs), TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        sending.close();
        receiving.close();
    }

    /** One end of a connection. It numbers the messages it sends, and checks the numbers of arriving messages. */
    private static final class End implements AutoCloseable {
        private final ROut out;
        private final int size;
        private final int capacity;
        private final CompletableFuture<RIn> attached = new CompletableFuture<>();
        private final CompletableFuture<Void> failed = new CompletableFuture<>();
        /** Number of messages received; written by the worker. */
        private final AtomicLong received = new AtomicLong();

        private long sent;
        private volatile Runnable onMessage = () -> {};

        End(RocketBufs node, int size) {
            this.out = new ROut(node);
            this.size = size;
            this.capacity = Math.max(LEAST_CAPACITY / size, LEAST_MESSAGES) * size;
            out.createBuffer(BUFFER_ID, capacity, BufferOptions.DEFAULTS.withCoalescing(false));
        }

        void attach(Connection connection) {
            RIn in = new RIn(connection);
            out.addConnection(connection);
            connection.setControlMessageCallback(question -> send());
            connection.setCloseCallback(failure -> {
                if (failure != null) {
                    failed.completeExceptionally(failure);
                }
            });
            in.setDataInCallback((bufferId, data) -> {
                for (long offset = 0; offset < data.length(); offset += size) {
                    take(data.getLong(offset));
                }
                in.dataConsumed(bufferId, data.length());
            });
            attached.complete(in);
        }

        private void take(long number) {
            long expected = received.get();
            if (number != expected) {
                throw new IllegalStateException(
                        "unexpected message number: expected=" + expected + ", arrived=" + number);
            }
            received.lazySet(expected + 1);
            onMessage.run();
        }

        void subscribe() throws Exception {
            attached.get(PATIENCE_S, TimeUnit.SECONDS)
                    .subscribe(BUFFER_ID, capacity)
                    .get(PATIENCE_S, TimeUnit.SECONDS);
        }

        void sendUntil(long endNs) {
            while (System.nanoTime() < endNs) {
                deliver(out.getOutputSegment(BUFFER_ID, size, true));
            }
        }

        /** Makes the peer send one message on the peer's worker. */
        void askForMessage() {
            attached.join().connection().sendControlMessage(ByteBuffer.allocate(1));
        }

        /** Sends one message. Must be called on the worker. */
        void send() {
            deliver(out.getOutputSegment(BUFFER_ID, size, false));
        }

        private void deliver(Segment segment) {
            segment.putLong(0, sent++);
            out.deliver(segment, size);
        }

        @Override
        public void close() {
            RIn in = attached.getNow(null);
            if (in != null) {
                in.connection().close();
                in.connection().closed().orTimeout(PATIENCE_S, TimeUnit.SECONDS).join();
                in.close();
            }
            out.close();
        }
    }
}
