package io.rocketbufs.benchmarks.micro;

import io.rocketbufs.RIn;
import io.rocketbufs.ROut;
import io.rocketbufs.options.BufferOptions;
import java.util.concurrent.CompletableFuture;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** The splicing of a transfer: it arrives and is sent to all subscribers. One operation is one transfer. */
public class SpliceBenchmark extends InnerLoop {
    /** Length of a transfer in bytes. */
    @Param({"16", "2048"})
    private int length;

    /** Whether deliveries that arrive together are sent as one transfer. */
    @Param({"true", "false"})
    private boolean coalescing;

    /** Number of subscriptions. */
    @Param({"1", "2", "4"})
    private int subscriptions;

    private SinkConnection publisher;
    private SinkConnection lastSubscriber;

    /** Creates the spliced buffer and subscribes to it. */
    @Setup
    public void open() {
        open(new SinkTransport(SinkConnection.PUBLISHER));
        CompletableFuture<RIn> in = new CompletableFuture<>();
        publisher = accept(SinkConnection.PUBLISHER, connection -> in.complete(new RIn(connection)));
        in.join().subscribe(BUFFER_ID, CAPACITY);
        publisher.acceptSubscription(TAG);
        ROut out = new ROut(rocketBufs());
        out.splice(in.join(), BUFFER_ID, BUFFER_ID, BufferOptions.DEFAULTS.withCoalescing(coalescing));
        for (int i = 0; i < subscriptions; i++) {
            lastSubscriber = accept(SinkConnection.SUBSCRIBER, out::addConnection);
            lastSubscriber.subscribe(BUFFER_ID, TAG, CAPACITY);
        }
    }

    /** Splices one transfer at a time. */
    @Benchmark
    public long splice1() {
        publisher.arrive(TAG, length);
        publisher.arrivalsEnd();
        return lastSubscriber.written();
    }

    /** Splices 64 transfers that arrive together. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long splice64() {
        for (int i = 0; i < BATCH; i++) {
            publisher.arrive(TAG, length);
        }
        publisher.arrivalsEnd();
        return lastSubscriber.written();
    }
}
