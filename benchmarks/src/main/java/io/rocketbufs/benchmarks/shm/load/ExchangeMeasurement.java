package io.rocketbufs.benchmarks.shm.load;

import com.sun.management.OperatingSystemMXBean;
import io.rocketbufs.benchmarks.compare.LoadReport;
import io.rocketbufs.benchmarks.compare.LoadTimes;
import io.rocketbufs.benchmarks.compare.LoadWindow;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;

/**
 * One measurement in one process. The process either sends messages, or receives the other process's messages and
 * optionally answers them.
 *
 * <p><b>Thread-safety:</b> confined to one thread.
 */
final class ExchangeMeasurement {
    private static final double SECOND_NS = 1e9;
    private static final long PATIENCE_S = 20;
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(PATIENCE_S);
    private static final long LOOK_NS = 1_000_000;

    private final OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final MessageChannel channel;
    private final BufferedReader input;
    private final PrintStream output;
    private final LoadWindow window = new LoadWindow();
    private double perSecond;
    private double cpuSeconds;
    private long count;

    /**
     * Creates a measurement.
     *
     * @param input stream of commands: {@code begin} and {@code end}
     * @param output stream for the answers
     */
    ExchangeMeasurement(MessageChannel channel, BufferedReader input, PrintStream output) {
        this.channel = channel;
        this.input = input;
        this.output = output;
    }

    /** Receives messages until the line {@code end} arrives, and prints the results. */
    void receive(boolean answers) throws Exception {
        Receiver receiver = new Receiver(answers ? channel::send : number -> {});
        channel.receive(receiver);
        measure(receiver::count);
        report(receiver.faults(), LoadTimes.histogram());
    }

    /**
     * Sends messages until the line {@code end} arrives, and prints the results.
     *
     * @param awaitsAnswers whether each message is sent only when the answer to the previous message has arrived
     */
    void send(boolean awaitsAnswers) throws Exception {
        if (awaitsAnswers) {
            measureRoundTrips();
        } else {
            measureStream();
        }
    }

    private void measureRoundTrips() throws Exception {
        RoundTrips trips = new RoundTrips(channel, window);
        Receiver receiver = new Receiver(trips);
        channel.receive(receiver);
        channel.awaitReceiver();
        output.println("ready");
        trips.start();
        measure(receiver::count);
        trips.finished().get(PATIENCE_S, TimeUnit.SECONDS);
        report(receiver.faults(), trips.times());
    }

    private void measureStream() throws Exception {
        AtomicLong sent = new AtomicLong();
        channel.awaitReceiver();
        output.println("ready");
        Thread sender = new Thread(
                () -> {
                    for (long number = 0; !window.isOver(); number++) {
                        channel.send(number);
                        sent.lazySet(number + 1);
                    }
                },
                "sender");
        sender.start();
        measure(sent::get);
        sender.join();
        report(0, LoadTimes.histogram());
    }

    private void measure(LongSupplier counter) throws IOException {
        expect("begin");
        long beginNs = System.nanoTime();
        long begin = counter.getAsLong();
        long cpuNs = -system.getProcessCpuTime();
        window.begin();
        expect("end");
        // Continue until at least one message has been counted, even on a busy machine.
        while (counter.getAsLong() == begin && System.nanoTime() - beginNs < PATIENCE_NS) {
            LockSupport.parkNanos(LOOK_NS);
        }
        count = counter.getAsLong() - begin;
        perSecond = count * SECOND_NS / (System.nanoTime() - beginNs);
        cpuNs += system.getProcessCpuTime();
        cpuSeconds = cpuNs / SECOND_NS;
        window.end();
    }

    private void expect(String line) throws IOException {
        String found = input.readLine();
        if (!line.equals(found)) {
            throw new IOException("expected \"" + line + "\" on standard input instead of \"" + found + "\"");
        }
    }

    private void report(long faults, Histogram times) {
        output.println(new LoadReport(perSecond, cpuSeconds, count, faults, times).json());
    }
}
