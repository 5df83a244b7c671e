package io.rocketbufs.benchmarks.log.load;

import com.sun.management.OperatingSystemMXBean;
import com.typesafe.config.ConfigRenderOptions;
import com.typesafe.config.ConfigValueFactory;
import io.rocketbufs.benchmarks.compare.Latency;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/**
 * The load program: {@code SYSTEM ADDRESS SETTINGS OPTION...}. It prints {@code ready} when its clients are connected,
 * works until it reads {@code end}, and prints a JSON object with the results since it has read {@code begin}. Records
 * are checked by their number and length, and afterwards the log must have as many as were sent.
 */
public final class LoadProgram {
    private static final int OPTIONS = 3;
    private static final double MICRO_NS = 1e3;
    private static final double SECOND_NS = 1e9;

    private final OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final LogClient client;
    private final LoadOptions options;
    private final BufferedReader input;
    private final PrintStream output;
    private final LoadWindow window = new LoadWindow();

    LoadProgram(LogClient client, LoadOptions options, BufferedReader input, PrintStream output) {
        this.client = client;
        this.options = options;
        this.input = input;
        this.output = output;
    }

    /** Runs the program. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        try (LogClient client = client(arguments[0], arguments[1], arguments[2])) {
            new LoadProgram(
                            client,
                            LoadOptions.of(Arrays.stream(arguments).skip(OPTIONS)),
                            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)),
                            System.out)
                    .run();
        }
    }

    private static LogClient client(String system, String address, String settings)
            throws IOException, InterruptedException {
        return switch (system) {
            case "rocketlog" -> new RocketlogClient(address, settings);
            case "kafka" -> new KafkaClient(address);
            case "redis" -> new RedisClient(address);
            case "jetstream" -> JetStreamClient.connect(address);
            default -> throw new IllegalArgumentException("unknown system: " + system);
        };
    }

    /** Runs the workload between the lines {@code begin} and {@code end} of the input. */
    void run() throws IOException, InterruptedException {
        client.create(options.topic());
        if (options.workload().needsRecords()) {
            fill();
        }
        List<LoadWorker> workers =
                IntStream.range(0, options.clients()).mapToObj(i -> worker()).toList();
        try {
            for (LoadWorker each : workers) {
                each.open();
            }
            output.println("ready");
            output.println(work(workers));
        } finally {
            workers.forEach(LoadWorker::close);
        }
    }

    /** Appends the records that the consumers read, unless an earlier program has done so. */
    private void fill() throws IOException, InterruptedException {
        long count = client.count(options.topic());
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
                producer.send(value);
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
        List<Throwable> failures = new ArrayList<>();
        List<Thread> threads =
                workers.stream().map(worker -> start(worker, failures)).toList();
        expect("begin");
        long beginNs = System.nanoTime();
        long[] begins = progress(workers);
        long cpuNs = -system.getProcessCpuTime();
        window.begin();
        expect("end");
        double seconds = (System.nanoTime() - beginNs) / SECOND_NS;
        long[] ends = progress(workers);
        cpuNs += system.getProcessCpuTime();
        window.end();
        for (Thread each : threads) {
            each.join();
        }
        synchronized (failures) {
            if (!failures.isEmpty()) {
                throw new IOException(failures.get(0));
            }
        }
        double perSecond = 0;
        for (int i = 0; i < begins.length; i++) {
            perSecond += workers.get(i).perSecond((ends[i] - begins[i]) / seconds);
        }
        return json(workers, perSecond, cpuNs / SECOND_NS);
    }

    private Thread start(LoadWorker worker, List<Throwable> failures) {
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

    private void expect(String line) throws IOException {
        String found = input.readLine();
        if (!line.equals(found)) {
            throw new IOException("expected \"" + line + "\" on standard input instead of \"" + found + "\"");
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
            faults += Math.abs(sent - client.count(options.topic()));
        }
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("perSecond", perSecond);
        map.put("cpuSeconds", cpuSeconds);
        map.put("sent", sent);
        map.put("faults", faults);
        Map<String, Object> us = new LinkedHashMap<>();
        if (times.getTotalCount() > 0) {
            Latency.PERCENTS.forEach(
                    percent -> us.put(Latency.text(percent), times.getValueAtPercentile(percent) / MICRO_NS));
        }
        map.put("latencyUs", us);
        return ConfigValueFactory.fromMap(map).render(ConfigRenderOptions.concise());
    }
}
