package io.rocketbufs.benchmarks.log.load;

import com.sun.management.OperatingSystemMXBean;
import io.rocketbufs.benchmarks.compare.LoadReport;
import io.rocketbufs.benchmarks.compare.LoadTimes;
import io.rocketbufs.benchmarks.compare.LoadWindow;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.HdrHistogram.Histogram;

/**
 * One measurement with the load program. It checks the number and length of each record. At the end, the number of
 * records in the log must have grown by the number of records sent.
 *
 * <p><b>Thread-safety:</b> confined to one thread, which starts a thread for each client.
 */
final class LoadMeasurement {
    private static final double SECOND_NS = 1e9;

    private final OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final LogClient client;
    private final LoadOptions options;
    private final BufferedReader input;
    private final PrintStream output;
    private final LoadWindow window = new LoadWindow();
    private final List<Throwable> failures = new ArrayList<>();
    private long countBefore;

    /**
     * Creates a measurement.
     *
     * @param input stream of commands: {@code progress}, {@code begin} and {@code end}
     * @param output stream for the answers
     */
    LoadMeasurement(LogClient client, LoadOptions options, BufferedReader input, PrintStream output) {
        this.client = client;
        this.options = options;
        this.input = input;
        this.output = output;
    }

    /** Runs the workload until the line {@code end} arrives. Returns the results as a line of JSON. */
    String run() throws IOException, InterruptedException {
        client.create(options.topic(), options.partitions());
        if (options.workload().needsRecords()) {
            fill();
        }
        countBefore = count();
        List<LoadWorker> workers =
                IntStream.range(0, options.clients()).mapToObj(i -> worker()).toList();
        String result;
        try {
            for (LoadWorker each : workers) {
                each.open();
            }
            output.println("ready");
            result = work(workers);
        } finally {
            workers.forEach(LoadWorker::close);
        }
        if (!options.workload().needsRecords()) {
            client.release(options.topic());
        }
        return result;
    }

    private long count() throws IOException {
        return client.count(options.topic(), options.partitions());
    }

    /** Appends the records for the consumers to read, unless an earlier program has already done so. */
    private void fill() throws IOException, InterruptedException {
        long count = client.present(options.topic());
        if (count == options.records()) {
            return;
        }
        if (count != 0) {
            throw new IOException("topic " + options.topic() + " has " + count + " records instead of none");
        }
        Acknowledgements acknowledgements = new Acknowledgements();
        byte[] value = new byte[options.size()];
        try (LogClient.Producer producer =
                client.producer(options.topic(), options.recordBatch(), options.size(), acknowledgements)) {
            for (int i = 0; i < options.records(); i++) {
                RecordCheck.write(value, i);
                producer.send(0, value);
            }
            producer.flush();
        }
        if (acknowledgements.count() != options.records()) {
            throw new IOException("only " + acknowledgements.count() + " of " + options.records()
                    + " records of the topic " + options.topic() + " were acknowledged");
        }
    }

    private LoadWorker worker() {
        return switch (options.workload()) {
            case PRODUCE_ONE_BY_ONE -> new ProducingWorker(client, options, true);
            case PRODUCE -> new ProducingWorker(client, options, false);
            case CONSUME -> new ConsumingWorker(client, options);
            case POLL -> new PollingWorker(client, options);
            case END_TO_END -> new EndToEndWorker(client, options);
        };
    }

    /** Returns the results as a line of JSON. */
    private String work(List<LoadWorker> workers) throws IOException, InterruptedException {
        List<Thread> threads = workers.stream().map(this::start).toList();
        expect("begin", workers);
        long beginNs = System.nanoTime();
        long[] begins = progress(workers);
        long cpuNs = -system.getProcessCpuTime();
        window.begin();
        expect("end", workers);
        double seconds = (System.nanoTime() - beginNs) / SECOND_NS;
        long[] ends = progress(workers);
        cpuNs += system.getProcessCpuTime();
        window.end();
        for (Thread each : threads) {
            each.join();
        }
        checkFailures();
        double perSecond = 0;
        for (int i = 0; i < begins.length; i++) {
            perSecond += workers.get(i).perSecond((ends[i] - begins[i]) / seconds);
        }
        return json(workers, perSecond, cpuNs / SECOND_NS);
    }

    private Thread start(LoadWorker worker) {
        Thread thread = new Thread(
                () -> {
                    try {
                        worker.run(window);
                    } catch (IOException | InterruptedException | RuntimeException | Error e) {
                        synchronized (failures) {
                            failures.add(e);
                        }
                    }
                },
                "load");
        thread.start();
        return thread;
    }

    /** Waits for the given line. Answers any progress queries that arrive before it. */
    private void expect(String line, List<LoadWorker> workers) throws IOException {
        String found = input.readLine();
        while ("progress".equals(found)) {
            checkFailures();
            output.println("progress " + LongStream.of(progress(workers)).sum());
            found = input.readLine();
        }
        if (!line.equals(found)) {
            throw new IOException("expected \"" + line + "\" on standard input instead of \"" + found + "\"");
        }
    }

    private void checkFailures() throws IOException {
        synchronized (failures) {
            if (!failures.isEmpty()) {
                window.end();
                throw new IOException(failures.get(0));
            }
        }
    }

    private static long[] progress(List<LoadWorker> workers) {
        return workers.stream().mapToLong(LoadWorker::progress).toArray();
    }

    private String json(List<LoadWorker> workers, double perSecond, double cpuSeconds) throws IOException {
        Histogram times = LoadTimes.histogram();
        workers.forEach(worker -> times.add(worker.times));
        long sent = workers.stream().mapToLong(LoadWorker::sent).sum();
        long faults = workers.stream().mapToLong(LoadWorker::faults).sum();
        if (sent > 0) {
            faults += Math.abs(sent - (count() - countBefore));
        }
        return new LoadReport(perSecond, cpuSeconds, sent, faults, times).json();
    }
}
