package io.rocketbufs.benchmarks.log;

import com.sun.management.OperatingSystemMXBean;
import io.rocketbufs.rocketlog.log.LogDirectory;
import io.rocketbufs.rocketlog.log.LogOptions;
import io.rocketbufs.rocketlog.log.LogOptions.FlushPolicy;
import io.rocketbufs.rocketlog.log.PartitionLog;
import io.rocketbufs.rocketlog.record.BatchBuilder;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * The time to open logs after an unclean stop that has left no segment with a seal, so that every byte is checked and
 * rewritten. Each measurement runs in a new JVM, as recovery does when a broker starts.
 *
 * <p>Each measurement also prints the processor time of the whole JVM, including its compilers. The length divided by
 * this time is the rate of one core, which depends less on the disk and on other load.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Measurement(iterations = 1)
@Fork(5)
@State(Scope.Thread)
public class RecoveryBenchmark {
    private static final LogOptions OPTIONS =
            LogOptions.DEFAULTS.withFlush(FlushPolicy.NONE).withRetention(null, 0);
    private static final ByteBuffer VALUE = ByteBuffer.allocate(440);
    private static final int PRODUCER_ID = 7;

    /** The folder in which the logs are written. */
    @Param("/dev/shm")
    private String folder;

    /** Total length of the logs in MiB. */
    @Param("2048")
    private int mib;

    /** Number of logs. */
    @Param("1")
    private int partitions;

    /** Length of the batches in bytes, whose records have 440 bytes each. */
    @Param({"512", "262144"})
    private int batch;

    private final Map<String, LogOptions> logs = new LinkedHashMap<>();
    private Path path;
    private long records;
    private LogDirectory directory;
    private long processorNs;

    /** Writes the logs, closes them, and deletes the files that an unclean stop would not have left. */
    @Setup(Level.Iteration)
    public void fill() throws IOException {
        path = Files.createTempDirectory(Path.of(folder), "recovery");
        ByteBuffer buffer = ByteBuffer.allocateDirect(batch);
        try (LogDirectory filled = LogDirectory.open(path, OPTIONS, (log, offset) -> {})) {
            for (int i = 0; i < partitions; i++) {
                String name = "orders-" + i;
                logs.put(name, OPTIONS);
                records += fill(filled.partition(name), ((long) mib << 20) / partitions, buffer);
            }
        }
        for (String name : logs.keySet()) {
            try (Stream<Path> files = Files.list(path.resolve(name))) {
                List<Path> others =
                        files.filter(file -> !file.toString().endsWith(".log")).toList();
                for (Path each : others) {
                    Files.delete(each);
                }
            }
        }
    }

    private static long fill(PartitionLog log, long length, ByteBuffer buffer) {
        BatchBuilder builder = new BatchBuilder();
        int sequence = 0;
        for (long written = 0; written < length; written += buffer.limit()) {
            builder.begin(buffer.clear()).producer(PRODUCER_ID, (short) 0, sequence);
            while (builder.add(1_000_000, null, VALUE)) {
                sequence++;
            }
            builder.finish();
            if (log.append(buffer.flip()) < 0) {
                throw new IllegalStateException("a batch was refused: " + log.verdict(), log.failure());
            }
        }
        return log.nextOffset();
    }

    /** Opens the directory and recovers the logs. */
    @Benchmark
    public void recover() {
        long before = processorNs();
        directory = LogDirectory.open(path, OPTIONS, (log, offset) -> {});
        directory.open(logs);
        processorNs = processorNs() - before;
    }

    private static long processorNs() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    /** Checks that all records have been recovered, and deletes the logs. */
    @TearDown(Level.Iteration)
    public void close() throws IOException {
        long recovered = logs.keySet().stream()
                .mapToLong(name -> directory.partition(name).nextOffset())
                .sum();
        directory.close();
        try (Stream<Path> all = Files.walk(path)) {
            List<Path> childrenFirst = all.sorted(Comparator.reverseOrder()).toList();
            for (Path each : childrenFirst) {
                Files.delete(each);
            }
        }
        System.out.println("processor time: " + TimeUnit.NANOSECONDS.toMillis(processorNs) + " ms");
        if (recovered != records) {
            throw new IllegalStateException("recovered " + recovered + " of " + records + " records");
        }
    }
}
