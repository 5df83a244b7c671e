package io.rocketbufs.benchmarks.log;

import io.rocketbufs.rocketlog.log.LogDirectory;
import io.rocketbufs.rocketlog.log.LogOptions;
import io.rocketbufs.rocketlog.log.LogOptions.FlushPolicy;
import io.rocketbufs.rocketlog.log.PartitionLog;
import io.rocketbufs.rocketlog.record.BatchBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
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
import org.openjdk.jmh.annotations.Warmup;

/**
 * The time to append a batch of 100-byte records to a log and, for comparison, to write the same bytes to a file whose
 * space is already allocated. Both benchmarks write to the page cache; neither waits for the disk. The log also checks
 * the batch and its CRC, and maintains its index.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
@State(Scope.Thread)
public class AppendBenchmark {
    private static final int SEGMENT_LENGTH = 64 << 20;
    private static final byte[] VALUE = new byte[100];

    /** Number of records in a batch. */
    @Param({"1", "16", "256"})
    private int records;

    private Path folder;
    private LogDirectory directory;
    private PartitionLog log;
    private FileChannel file;
    private ByteBuffer batch;
    private int length;
    private long position;

    /** Opens an empty log and a file. */
    @Setup(Level.Iteration)
    public void open() throws IOException {
        folder = Files.createTempDirectory("append");
        LogOptions options = LogOptions.DEFAULTS
                .withSegments(SEGMENT_LENGTH, 16 << 20, 1 << 20)
                .withFlush(FlushPolicy.NONE)
                .withRetention(null, SEGMENT_LENGTH);
        directory = LogDirectory.open(folder, options, (changed, offset) -> {});
        log = directory.partition("orders-0");
        file = FileChannel.open(folder.resolve("file"), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        batch = ByteBuffer.allocateDirect(200 + records * (VALUE.length + 20));
        BatchBuilder builder = new BatchBuilder().begin(batch);
        for (int i = 0; i < records; i++) {
            builder.add(1_000_000, null, ByteBuffer.wrap(VALUE));
        }
        builder.finish();
        length = batch.flip().limit();
        ByteBuffer zeros = ByteBuffer.allocateDirect(1 << 20);
        for (position = 0; position < SEGMENT_LENGTH; position += zeros.limit()) {
            file.write(zeros.rewind(), position);
        }
        position = 0;
    }

    /** Appends a batch to the log. */
    @Benchmark
    public long append() {
        return log.append(batch);
    }

    /** Writes the bytes of a batch to a file. */
    @Benchmark
    public int write() throws IOException {
        position = position + length > SEGMENT_LENGTH ? 0 : position;
        int written = file.write(batch, position);
        batch.rewind();
        position += length;
        return written;
    }

    /** Closes the log and the file, and deletes them. */
    @TearDown(Level.Iteration)
    public void close() throws IOException {
        directory.close();
        file.close();
        try (Stream<Path> all = Files.walk(folder)) {
            List<Path> childrenFirst = all.sorted(Comparator.reverseOrder()).toList();
            for (Path each : childrenFirst) {
                Files.delete(each);
            }
        }
    }
}
