package io.rocketbufs.benchmarks;

import com.typesafe.config.ConfigFactory;
import io.rocketbufs.BufferOptions;
import io.rocketbufs.ConnectOptions;
import io.rocketbufs.Listener;
import io.rocketbufs.RIn;
import io.rocketbufs.ROut;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.Segment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The inner loops of core, over a transport that does nothing: taking and delivering segments, receiving transfers, and
 * forwarding them by splice.
 *
 * <p>With {@code -prof gc}, {@code gc.alloc.rate.norm} is bytes allocated per message, or per transfer where coalescing
 * is off: it is to be 0.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(1)
@State(Scope.Thread)
public class DeliveryBenchmark {
    private static final int BATCH = 64;
    private static final int BUFFER_ID = 1;
    private static final int CAPACITY = 1 << 20;

    /** Bytes of a message. */
    @Param({"16", "2048"})
    private int length;

    /** Whether pending deliveries travel as one transfer. */
    @Param({"true", "false"})
    private boolean coalescing;

    /** Subscriptions that a spliced transfer goes to. */
    @Param({"1", "4"})
    private int subscriptions;

    private RocketBufs rocketBufs;
    private ROut out;
    private StubConnection subscriber;
    private StubConnection sender;
    private StubConnection publisher;
    private long received;

    /** Makes one of each: a filled buffer with a subscriber, an RIn, and an RIn that is spliced. */
    @Setup
    public void open() {
        StubTransport transport = new StubTransport(StubConnection.SUBSCRIBER);
        rocketBufs = RocketBufs.open(
                ConfigFactory.parseString("rocketbufs.transport = stub").withFallback(ConfigFactory.load()), transport);
        openOutput(transport);
        openInput(transport);
        openSplice(transport);
    }

    private void openOutput(StubTransport transport) {
        out = new ROut(rocketBufs);
        out.createBuffer(BUFFER_ID, CAPACITY, BufferOptions.DEFAULTS.withCoalescing(coalescing));
        try (Listener listener = new Listener(rocketBufs, StubTransport.ADDRESS)) {
            listener.setConnectionCallback(out::addConnection);
            subscriber = transport.accept();
            subscriber.sayHello(StubConnection.SUBSCRIBER);
            subscriber.subscribe(BUFFER_ID, 0, CAPACITY);
        }
    }

    private void openInput(StubTransport transport) {
        List<RIn> made = new ArrayList<>();
        rocketBufs.connect(
                StubTransport.ADDRESS, ConnectOptions.as(Role.SUBSCRIBER, connection -> made.add(new RIn(connection))));
        sender = transport.connected();
        RIn in = made.get(0);
        in.setDataInCallback((bufferId, data) -> {
            received += data.length();
            in.dataConsumed(bufferId, data.length());
        });
        in.subscribe(BUFFER_ID, CAPACITY);
        sender.acceptSubscription(0);
    }

    private void openSplice(StubTransport transport) {
        ROut fan = new ROut(rocketBufs);
        List<RIn> made = new ArrayList<>();
        try (Listener listener = new Listener(rocketBufs, StubTransport.ADDRESS)) {
            listener.setConnectionCallback(connection -> {
                if (connection.role() == Role.PUBLISHER) {
                    made.add(new RIn(connection));
                } else {
                    fan.addConnection(connection);
                }
            });
            publisher = transport.accept();
            publisher.sayHello(StubConnection.PUBLISHER);
            made.get(0).subscribe(BUFFER_ID, CAPACITY);
            publisher.acceptSubscription(0);
            fan.splice(made.get(0), BUFFER_ID, BUFFER_ID, BufferOptions.DEFAULTS.withCoalescing(coalescing));
            for (int i = 0; i < subscriptions; i++) {
                StubConnection reader = transport.accept();
                reader.sayHello(StubConnection.SUBSCRIBER);
                reader.subscribe(BUFFER_ID, 0, CAPACITY);
            }
        }
    }

    /** Ends everything. */
    @TearDown
    public void close() {
        rocketBufs.close();
    }

    /** Takes, fills and delivers 64 messages while the transport is full, which then takes what has gathered. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long deliver() {
        subscriber.setFull(true);
        for (int i = 0; i < BATCH; i++) {
            Segment segment = out.getOutputSegment(BUFFER_ID, length, false);
            segment.putLong(0, i);
            out.deliver(segment, length);
        }
        subscriber.setFull(false);
        return subscriber.written();
    }

    /** Takes, fills and delivers one message, which the transport takes at once: a transfer each. */
    @Benchmark
    public long deliverAndSend() {
        Segment segment = out.getOutputSegment(BUFFER_ID, length, false);
        segment.putLong(0, length);
        out.deliver(segment, length);
        return subscriber.written();
    }

    /** Receives a transfer and consumes it in the callback. */
    @Benchmark
    public long receive() {
        sender.arrive(0, length);
        sender.arrivalsEnd();
        return received;
    }

    /** Receives a transfer into a spliced buffer and forwards it to all subscriptions. */
    @Benchmark
    public long splice() {
        publisher.arrive(0, length);
        publisher.arrivalsEnd();
        return received;
    }
}
