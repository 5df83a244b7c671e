package io.rocketbufs.benchmarks.memory;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
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
 * The time to release a region whose pages have all been written. One operation is one release. The releasing thread,
 * which is often a worker, is blocked during this time. Use the median: on a machine with few cores, the thread that
 * clears the pages may preempt the releasing thread.
 */
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 5, time = 2)
@Fork(3)
@State(Scope.Thread)
public class RegionReleaseBenchmark {
    private static final int PAGE_LENGTH = 4096;

    /** Length of the region in KiB. */
    @Param({"256", "1024", "262144"})
    private int kib;

    /** Whether the region's memory is registered with a device. */
    @Param({"false", "true"})
    private boolean registered;

    private MemoryPool pool;
    private Region region;

    /** Writes to every page. */
    @Setup(Level.Invocation)
    public void fill() {
        int length = kib << 10;
        pool = new MemoryPool(length);
        region = pool.allocate(length);
        if (registered) {
            region.slab().beginRegistration();
        }
        ByteBuffer window = region.window(0, length);
        for (int offset = 0; offset < length; offset += PAGE_LENGTH) {
            window.put(offset, (byte) 1);
        }
    }

    /** Releases the region. */
    @Benchmark
    public void release() {
        region.release();
    }

    /** Closes the pool. */
    @TearDown(Level.Invocation)
    public void close() {
        if (registered) {
            region.slab().endRegistration();
        }
        pool.close();
    }
}
