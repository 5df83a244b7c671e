package io.rocketbufs.benchmarks;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.rbmq.RbmqSettings;
import io.rocketbufs.rbmq.client.Claim;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.TopicPublisher;
import java.nio.ByteBuffer;
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
 * What publishing adds to delivering: frames, the topic's lock and its counters, over a transport that does nothing.
 *
 * <p>With {@code -prof gc}, {@code gc.alloc.rate.norm} is bytes allocated per message: it is to be 0. A publisher's
 * buffer always lets messages travel together. The benchmarks that send at once let none gather, so that every message
 * is a transfer, as it is with coalescing off.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(1)
@State(Scope.Thread)
public class PublishBenchmark {
    private static final int BATCH = 64;
    private static final int FIRST_BUFFER = 1;
    private static final int CAPACITY = 1 << 20;

    /** Bytes of a message. */
    @Param({"16", "2048"})
    private int length;

    private RocketBufs rocketBufs;
    private StubConnection broker;
    private Publisher publisher;
    private TopicPublisher topic;
    private byte[] message;
    private ByteBuffer direct;

    /** Connects a publisher, and subscribes to its topic as a broker does. */
    @Setup
    public void open() {
        StubTransport transport = new StubTransport(StubConnection.PUBLISHER);
        Config config = ConfigFactory.parseString("rocketbufs.transport = stub, rbmq.port = 1")
                .withFallback(ConfigFactory.load())
                .resolve();
        rocketBufs = RocketBufs.open(config, transport);
        publisher = Publisher.connect(rocketBufs, RbmqSettings.from(config).client());
        topic = publisher.topic("topic");
        broker = transport.connected();
        broker.subscribe(FIRST_BUFFER, 0, CAPACITY);
        message = new byte[length];
        direct = ByteBuffer.allocateDirect(length);
    }

    /** Ends everything. */
    @TearDown
    public void close() {
        rocketBufs.close();
    }

    /** Publishes 64 messages while the transport is full, which then takes what has gathered. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long publish() {
        broker.setFull(true);
        for (int i = 0; i < BATCH; i++) {
            check(topic.publish(message));
        }
        broker.setFull(false);
        return broker.written();
    }

    /** Publishes one message, which the transport takes at once. */
    @Benchmark
    public long publishAndSend() {
        check(topic.publish(message));
        return broker.written();
    }

    /** Publishes one message from a buffer to a topic that is given by its name. */
    @Benchmark
    public long publishByName() {
        check(publisher.publish("topic", direct));
        return broker.written();
    }

    /** Publishes one message that is written in place. */
    @Benchmark
    public long claimAndCommit() {
        Claim claim = topic.claim(length);
        for (int i = 0; i < claim.vecCount(); i++) {
            ByteBuffer vec = claim.vec(i);
            vec.put(vec.position(), (byte) length);
        }
        check(claim.commit());
        return broker.written();
    }

    private static void check(PublishResult result) {
        if (result != PublishResult.PUBLISHED) {
            throw new IllegalStateException("published: " + result);
        }
    }
}
