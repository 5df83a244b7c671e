package io.rocketbufs.benchmarks.micro;

import io.rocketbufs.rbmq.client.HeaderVisitor;
import io.rocketbufs.rbmq.client.Message;
import io.rocketbufs.rbmq.client.MessageHeaders;
import io.rocketbufs.rbmq.protocol.HeaderLayout;
import io.rocketbufs.rbmq.protocol.MessageLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/**
 * The receipt of a message with three headers by a subscriber's handler. The handler looks up two headers, visits all
 * headers, and reads eight bytes of the message. One operation is one message.
 */
public class SubscribeWithHeadersBenchmark extends InnerLoop {
    /** Length of a message in bytes, without its headers. */
    @Param({"16", "2048"})
    private int length;

    private SinkConnection broker;
    private int frameLength;
    private long received;
    private final HeaderVisitor adding = header -> received += header.length();

    /** Subscribes to a topic with one publisher, and fills every byte of the publisher's buffer once. */
    @Setup
    public void open() {
        openClient(SinkConnection.SUBSCRIBER);
        byte[] headers = headers("content-type", "text/plain", "currency", "EUR", "correlation", "123456");
        frameLength = MessageLayout.frameLength(headers.length + length);
        byte[] frame = ByteBuffer.allocate(frameLength)
                .putInt(headers.length + length | MessageLayout.HEADERS_FOLLOW)
                .put(headers)
                .array();
        broker = SubscribeBenchmark.subscribe(this, frame, this::onMessage);
    }

    private static byte[] headers(String... keysAndValues) {
        byte[] block = new byte[256];
        int end = HeaderLayout.LENGTH_FIELD;
        for (int i = 0; i < keysAndValues.length; i += 2) {
            byte[] value = keysAndValues[i + 1].getBytes(StandardCharsets.UTF_8);
            int start = HeaderLayout.putKey(block, end, keysAndValues[i], value.length);
            System.arraycopy(value, 0, block, start, value.length);
            end = start + value.length;
        }
        HeaderLayout.putBlockLength(block, end);
        return Arrays.copyOf(block, end);
    }

    private void onMessage(Message message) {
        MessageHeaders headers = message.headers();
        received += headers.getLong("correlation", 0);
        if (headers.has("currency")) {
            headers.forEach(adding);
        }
        received += message.getLong(0);
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
