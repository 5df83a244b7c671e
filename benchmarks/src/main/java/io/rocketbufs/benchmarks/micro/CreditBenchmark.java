package io.rocketbufs.benchmarks.micro;

import io.rocketbufs.RIn;
import io.rocketbufs.ROut;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/**
 * The cost of credit. One operation is one transfer of a quarter of the buffer's capacity, with one report of the
 * consumed position. To obtain the cost of the report alone, subtract {@link DeliverBenchmark#deliverAndSend} or
 * {@link ReceiveBenchmark#receive1}. One report is sent for each quarter of the capacity.
 */
public class CreditBenchmark extends InnerLoop {
    private static final int QUARTER = CAPACITY / 4;

    /** The methods of reporting the consumed position. */
    public enum Form {
        /** In CREDIT messages. */
        MESSAGE,
        /** By writing to the sender's word. */
        WORD
    }

    /** Method by which the receiver reports the consumed position. */
    @Param
    private Form form;

    private ROut out;
    private SinkConnection receiver;
    private SinkConnection sender;

    /** Creates a buffer with a subscriber that reports immediately, and subscribes to another buffer. */
    @Setup
    public void open() {
        open(new SinkTransport(SinkConnection.SUBSCRIBER, form == Form.WORD));
        out = new ROut(rocketBufs());
        out.createBuffer(BUFFER_ID, CAPACITY);
        receiver = accept(SinkConnection.SUBSCRIBER, out::addConnection);
        receiver.subscribe(BUFFER_ID, TAG, CAPACITY);
        RIn in = receive();
        in.setDataInCallback((bufferId, data) -> in.dataConsumed(bufferId, data.length()));
        in.subscribe(BUFFER_ID, CAPACITY);
        sender = transport().connected();
        sender.acceptSubscription(TAG);
    }

    /** Sends a transfer. The peer reports that it has consumed the transfer, and the sender processes the report. */
    @Benchmark
    public long hear() {
        out.deliver(out.getOutputSegment(BUFFER_ID, QUARTER, false), QUARTER);
        return receiver.written();
    }

    /** Receives a transfer, consumes it, and reports the consumed position. */
    @Benchmark
    public long report() {
        sender.arrive(TAG, QUARTER);
        sender.arrivalsEnd();
        return sender.heardPosition();
    }
}
