package io.rocketbufs.benchmarks.micro;

import io.rocketbufs.ROut;
import io.rocketbufs.Segment;
import io.rocketbufs.options.BufferOptions;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** The delivery of a message into a buffer with one subscriber. One operation is one message. */
public class DeliverBenchmark extends InnerLoop {
    /** Length of a message in bytes. */
    @Param({"16", "2048"})
    private int length;

    /** Whether pending deliveries are sent as one transfer. */
    @Param({"true", "false"})
    private boolean coalescing;

    private ROut out;
    private SinkConnection subscriber;

    /** Creates the buffer and subscribes to it. */
    @Setup
    public void open() {
        open(new SinkTransport(SinkConnection.SUBSCRIBER));
        out = new ROut(rocketBufs());
        out.createBuffer(BUFFER_ID, CAPACITY, BufferOptions.DEFAULTS.withCoalescing(coalescing));
        subscriber = accept(SinkConnection.SUBSCRIBER, out::addConnection);
        subscriber.subscribe(BUFFER_ID, TAG, CAPACITY);
    }

    /** Reserves space and returns it. */
    @Benchmark
    public long claim() {
        return out.deliver(out.getOutputSegment(BUFFER_ID, length, false), 0);
    }

    /**
     * Reserves space, fills it and delivers it. 64 messages accumulate while the transport is full, and then the
     * transport accepts them all.
     */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long deliver() {
        subscriber.setFull(true);
        for (int i = 0; i < BATCH; i++) {
            deliver(i);
        }
        subscriber.setFull(false);
        return subscriber.written();
    }

    /**
     * Reserves space, fills it and delivers it. The transport accepts each message immediately, as a separate transfer.
     */
    @Benchmark
    public long deliverAndSend() {
        deliver(length);
        return subscriber.written();
    }

    private void deliver(long value) {
        Segment segment = out.getOutputSegment(BUFFER_ID, length, false);
        segment.putLong(0, value);
        out.deliver(segment, length);
    }
}
