package io.rocketbufs.benchmarks.micro;

import io.rocketbufs.wire.ControlLayout;
import io.rocketbufs.wire.ControlMessages;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The encoding and decoding of a control message, with its header and body. One operation is one message. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(3)
@State(Scope.Thread)
public class LayoutBenchmark {
    /**
     * The message. Reading HELLO or a message that contains text allocates objects, but these messages occur only once
     * per connection.
     */
    @Param
    private ControlSample message;

    private final ByteBuffer written = ByteBuffer.allocateDirect(256);
    private final ByteBuffer read = ByteBuffer.allocateDirect(256);
    private int tag = 7;

    /** Writes the message that {@link #decode} reads. */
    @Setup
    public void prepare() {
        write(read);
    }

    /** Writes the message. */
    @Benchmark
    public ByteBuffer encode() {
        return write(written);
    }

    /** Checks the message and reads every field. */
    @Benchmark
    public long decode() {
        read.position(0);
        ControlMessages.check(read);
        return message.read(read);
    }

    private ByteBuffer write(ByteBuffer into) {
        message.write(ControlLayout.begin(into, message.type(), 0), tag);
        return ControlLayout.end(into);
    }
}
