package io.rocketbufs.benchmarks.micro;

import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.MessageHandler;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.protocol.BuffersLayout;
import io.rocketbufs.rbmq.protocol.MessageLayout;
import java.nio.ByteBuffer;
import java.util.List;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/**
 * The receipt of a message by a subscriber's handler, which reads eight bytes of the message. One operation is one
 * message. In addition to receiving, the operation includes checking and splitting the frames.
 */
public class SubscribeBenchmark extends InnerLoop {
    private static final int PUBLISHER = 1;
    private static final int TOPIC_NUMBER = 1;

    /** Length of a message in bytes. */
    @Param({"16", "2048"})
    private int length;

    private SinkConnection broker;
    private int frameLength;
    private long received;

    /** Subscribes to a topic with one publisher, and fills every byte of the publisher's buffer once. */
    @Setup
    public void open() {
        openClient(SinkConnection.SUBSCRIBER);
        frameLength = MessageLayout.frameLength(length);
        byte[] frame = new byte[frameLength];
        ByteBuffer.wrap(frame).putInt(length);
        broker = subscribe(this, frame, message -> received += message.getLong(0));
    }

    /** Subscribes to a topic with one publisher. The publisher's buffer then contains only copies of a frame. */
    static SinkConnection subscribe(InnerLoop loop, byte[] frame, MessageHandler handler) {
        Subscriber subscriber = Subscriber.connect(loop.rocketBufs(), ClientSettings.from(loop.config()));
        subscriber.subscribe("topic", handler);
        SinkConnection broker = loop.transport().connected();
        // No frame is split at the end of the buffer, so each frame is stored at the offset of an earlier frame.
        int rounds = 1 + 2 * CAPACITY / (BATCH * frame.length);
        int capacity = rounds * BATCH * frame.length;
        broker.sayApplication(
                BuffersLayout.write(TOPIC_NUMBER, List.of(new BuffersLayout.Entry(BUFFER_ID, PUBLISHER, capacity))));
        broker.acceptSubscription(TAG);
        byte[] frames = new byte[BATCH * frame.length];
        for (int i = 0; i < BATCH; i++) {
            System.arraycopy(frame, 0, frames, i * frame.length, frame.length);
        }
        for (int i = 0; i < rounds; i++) {
            broker.arrive(TAG, frames);
            broker.arrivalsEnd();
        }
        if (subscriber.receivedCount() != (long) rounds * BATCH) {
            throw new IllegalStateException("received only " + subscriber.receivedCount() + " messages");
        }
        return broker;
    }

    /** Receives one message at a time. */
    @Benchmark
    public long receive1() {
        broker.arrive(TAG, frameLength);
        broker.arrivalsEnd();
        return received;
    }

    /** Receives 64 messages that arrive as one transfer. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long receive64() {
        broker.arrive(TAG, BATCH * frameLength);
        broker.arrivalsEnd();
        return received;
    }
}
