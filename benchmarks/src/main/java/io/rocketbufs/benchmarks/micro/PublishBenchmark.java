package io.rocketbufs.benchmarks.micro;

import io.rocketbufs.rbmq.client.Claim;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.Headers;
import io.rocketbufs.rbmq.client.PublishBatch;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.TopicPublisher;
import java.nio.ByteBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/**
 * The publication of a message. One operation is one message. In addition to a delivery, the operation includes the
 * frame, the topic's lock and the topic's counters.
 *
 * <p>A publisher's buffer always coalesces messages. In the benchmarks that send immediately, no messages accumulate,
 * so every message is a separate transfer, as with coalescing off.
 */
public class PublishBenchmark extends InnerLoop {
    /** Length of a message in bytes. */
    @Param({"16", "2048"})
    private int length;

    private SinkConnection broker;
    private Publisher publisher;
    private TopicPublisher topic;
    private PublishBatch batch;
    private byte[] message;
    private ByteBuffer direct;
    private Headers headers;
    private long correlation;

    /** Connects a publisher and subscribes to its topic as a broker does. */
    @Setup
    public void open() {
        openClient(SinkConnection.PUBLISHER);
        publisher = Publisher.connect(rocketBufs(), ClientSettings.from(config()));
        topic = publisher.topic("topic");
        batch = topic.batch();
        broker = transport().connected();
        broker.subscribe(BUFFER_ID, TAG, CAPACITY);
        message = new byte[length];
        direct = ByteBuffer.allocateDirect(length);
        headers = new Headers().set("content-type", "text/plain").set("currency", "EUR");
    }

    /** Publishes 64 messages while the transport is full. The transport then accepts all accumulated messages. */
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

    /** Publishes 64 messages with one call, which the transport accepts immediately. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long publishBatch() {
        for (int i = 0; i < BATCH; i++) {
            if (!batch.add(message)) {
                throw new IllegalStateException("the message was not added: " + batch.refusal());
            }
        }
        check(batch.publish());
        return broker.written();
    }

    /** Publishes a batch of one message, which the transport accepts immediately. */
    @Benchmark
    public long publishBatchOfOne() {
        batch.add(message);
        check(batch.publish());
        return broker.written();
    }

    /** Publishes one message, which the transport accepts immediately. */
    @Benchmark
    public long publishAndSend() {
        check(topic.publish(message));
        return broker.written();
    }

    /** Publishes one message from a buffer to a topic specified by name. */
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

    /** Publishes one message with three headers, of which one changes. */
    @Benchmark
    public long publishWithHeaders() {
        check(topic.publish(headers.set("correlation", correlation++), message));
        return broker.written();
    }

    /** Publishes one message that has two constant headers and is written in place. */
    @Benchmark
    public long claimWithHeaders() {
        Claim claim = topic.claim(length, headers);
        for (int i = 0; i < claim.vecCount(); i++) {
            ByteBuffer vec = claim.vec(i);
            vec.put(vec.position(), (byte) length);
        }
        check(claim.commit());
        return broker.written();
    }

    private static void check(PublishResult result) {
        if (result != PublishResult.PUBLISHED) {
            throw new IllegalStateException("the message was not published: " + result);
        }
    }
}
