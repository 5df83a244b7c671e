package io.rocketbufs.benchmarks.micro;

import io.rocketbufs.RIn;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** The arrival of a transfer, which the data-in callback receives and consumes. One operation is one transfer. */
public class ReceiveBenchmark extends InnerLoop {
    /** Length of a transfer in bytes. */
    @Param({"16", "2048"})
    private int length;

    private SinkConnection sender;
    private long received;

    /** Connects and subscribes. */
    @Setup
    public void open() {
        open(new SinkTransport(SinkConnection.SUBSCRIBER));
        RIn in = receive();
        in.setDataInCallback((bufferId, data) -> {
            received += data.length();
            in.dataConsumed(bufferId, data.length());
        });
        in.subscribe(BUFFER_ID, CAPACITY);
        sender = transport().connected();
        sender.acceptSubscription(TAG);
    }

    /** Receives one transfer at a time. */
    @Benchmark
    public long receive1() {
        sender.arrive(TAG, length);
        sender.arrivalsEnd();
        return received;
    }

    /** Receives 64 transfers that arrive together. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long receive64() {
        for (int i = 0; i < BATCH; i++) {
            sender.arrive(TAG, length);
        }
        sender.arrivalsEnd();
        return received;
    }
}
