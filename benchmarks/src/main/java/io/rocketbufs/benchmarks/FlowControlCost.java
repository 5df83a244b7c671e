package io.rocketbufs.benchmarks;

import com.typesafe.config.ConfigFactory;
import io.rocketbufs.ConnectOptions;
import io.rocketbufs.Listener;
import io.rocketbufs.RIn;
import io.rocketbufs.ROut;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.Segment;
import io.rocketbufs.options.BufferOptions;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A measurement of the cost of flow control: processor time per byte with and without flow control, at the same fixed
 * rate over TCP on one machine.
 *
 * <p>Measurements with and without flow control alternate in the same process (A B, B A, …), each with a new
 * connection. The program prints the median of the pairs' ratios with a 95 % interval computed by resampling. The paper
 * reports a cost of about 10 % (section 4.3).
 *
 * <p>Usage: {@code java -cp benchmarks.jar io.rocketbufs.benchmarks.FlowControlCost [pairs] [length] [MB/s]}
 */
public final class FlowControlCost {
    private static final int BUFFER_ID = 1;
    private static final int CAPACITY = 1 << 20;
    private static final long SETTLE_NS = 300_000_000L;
    private static final long MEASURE_NS = 1_000_000_000L;
    private static final long TICK_NS = 500_000L;

    private final RocketBufs sending = RocketBufs.open(ConfigFactory.load());
    private final RocketBufs receiving = RocketBufs.open(ConfigFactory.load());
    private final int length;
    private final double bytesPerNs;

    private FlowControlCost(int length, double megabytesPerSecond) {
        this.length = length;
        this.bytesPerNs = megabytesPerSecond * 1e6 / 1e9;
    }

    /** Runs the measurement and prints the result. */
    public static void main(String[] args) throws Exception {
        int pairs = args.length > 0 ? Integer.parseInt(args[0]) : 15;
        int length = args.length > 1 ? Integer.parseInt(args[1]) : 512;
        double rate = args.length > 2 ? Double.parseDouble(args[2]) : 200;
        new FlowControlCost(length, rate).run(pairs);
    }

    private void run(int pairs) throws Exception {
        for (int i = 0; i < 4; i++) {
            measure(i % 2 == 0);
        }
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < pairs; i++) {
            boolean onFirst = i % 2 == 0;
            double first = measure(onFirst);
            double second = measure(!onFirst);
            double on = onFirst ? first : second;
            double off = onFirst ? second : first;
            ratios.add(on / off);
            System.out.printf("pair %d: on %.3f off %.3f ns/B ratio %.3f%n", i + 1, on, off, on / off);
        }
        MedianEstimate ratio = MedianEstimate.of(
                ratios.stream().mapToDouble(Double::doubleValue).toArray());
        System.out.printf(
                "flow control on/off, CPU per byte, %d B at %.0f MB/s: "
                        + "median %.3f, 95 %% interval %.3f to %.3f, %d pairs%n",
                length, bytesPerNs * 1000, ratio.median(), ratio.low(), ratio.high(), ratio.count());
        sending.close();
        receiving.close();
    }

    private double measure(boolean flowControl) throws Exception {
        ROut out = new ROut(sending);
        AtomicLong received = new AtomicLong();
        try (Listener listener = new Listener(sending, new InetSocketAddress("127.0.0.1", 0))) {
            listener.setConnectionCallback(out::addConnection);
            out.createBuffer(BUFFER_ID, CAPACITY, BufferOptions.DEFAULTS.withFlowControl(flowControl));
            CompletableFuture<RIn> made = new CompletableFuture<>();
            receiving
                    .connect(listener.address(), ConnectOptions.as(Role.SUBSCRIBER, connection -> {
                        RIn in = new RIn(connection);
                        in.setDataInCallback((id, data) -> {
                            received.lazySet(received.get() + data.length());
                            in.dataConsumed(id, data.length());
                        });
                        made.complete(in);
                    }))
                    .get();
            made.get().subscribe(BUFFER_ID, CAPACITY).get();
            produce(out, SETTLE_NS);
            long bytes = received.get();
            long cpu = cpuNs();
            produce(out, MEASURE_NS);
            double result = (double) (cpuNs() - cpu) / (received.get() - bytes);
            made.get().connection().close();
            made.get().connection().closed().get();
            made.get().close();
            return result;
        } finally {
            out.close();
        }
    }

    /** Sends at the given rate. At each tick, sends the messages that are due and then sleeps until the next tick. */
    private void produce(ROut out, long durationNs) {
        byte[] message = new byte[length];
        long start = System.nanoTime();
        long sent = 0;
        long now = start;
        while (now - start < durationNs) {
            for (long due = (long) ((now - start) * bytesPerNs); sent < due; sent += length) {
                Segment segment = out.getOutputSegment(BUFFER_ID, length, true);
                segment.put(0, message, 0, length);
                out.deliver(segment, length);
            }
            LockSupport.parkNanos(TICK_NS);
            now = System.nanoTime();
        }
    }

    /**
     * Returns the total processor time of all Java threads. This time has a finer resolution than the processor time of
     * the process, and excludes JIT compilation and garbage collection.
     */
    private static long cpuNs() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        return Arrays.stream(threads.getAllThreadIds())
                .map(threads::getThreadCpuTime)
                .filter(ns -> ns > 0)
                .sum();
    }
}
