package io.rocketbufs.rbmq;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rocketbufs.ConnectOptions;
import io.rocketbufs.Connection;
import io.rocketbufs.RIn;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.Segment;
import io.rocketbufs.options.SubscribeOptions;
import io.rocketbufs.rbmq.protocol.BuffersLayout;
import io.rocketbufs.rbmq.protocol.GreetingLayout;
import io.rocketbufs.rbmq.protocol.GroupLayout;
import io.rocketbufs.rbmq.protocol.NoticeLayout;
import io.rocketbufs.rbmq.protocol.RbmqMessage;
import io.rocketbufs.rbmq.protocol.RbmqType;
import io.rocketbufs.rbmq.protocol.TopicLayout;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * A subscriber that subscribes to buffers only on a test's request, with any id and options. It records the data that
 * it receives.
 */
final class RawReader {
    private final CompletableFuture<RIn> attached = new CompletableFuture<>();
    private final CompletableFuture<BuffersLayout.Entry> listed = new CompletableFuture<>();
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final RIn in;
    private volatile boolean consumes = true;

    /** Connects with a token. */
    RawReader(RocketBufs rocketBufs, InetSocketAddress broker, String token) throws Exception {
        ConnectOptions options =
                ConnectOptions.as(Role.SUBSCRIBER, this::attach).withGreeting(GreetingLayout.write("reader", token));
        rocketBufs.connect(broker, options).get(60, TimeUnit.SECONDS);
        in = attached.get(60, TimeUnit.SECONDS);
    }

    private void attach(Connection connection) {
        RIn created = new RIn(connection);
        created.setControlMessageCallback(message -> {
            if (RbmqMessage.type(message) == RbmqType.BUFFERS_ADDED) {
                listed.complete(BuffersLayout.entry(message, 0));
            }
        });
        created.setDataInCallback((id, data) -> {
            events.add(text(data));
            if (consumes) {
                created.dataConsumed(id, data.length());
            }
        });
        created.setGapCallback((id, position, lostLength) -> events.add("missed " + lostLength));
        created.setBufferEndCallback((id, failure) -> events.add("end: " + failure));
        connection.setCloseCallback(failure -> {});
        attached.complete(created);
    }

    private static String text(Segment data) {
        byte[] frame = new byte[(int) data.length()];
        data.get(0, frame, 0, frame.length);
        return new String(frame, Integer.BYTES, frame.length - Integer.BYTES, UTF_8);
    }

    /** Subscribes to a topic, so that the broker lists its buffers and holds the data of new ones. */
    void subscribe(String topic) {
        in.connection().sendControlMessage(TopicLayout.write(1, null, topic));
    }

    /** Joins a group that shares the messages of a topic. */
    void join(String group, String topic) {
        in.connection().sendControlMessage(GroupLayout.write(1, group, topic));
    }

    /** Ends the subscription to the topic, but not the subscriptions to its buffers. */
    void leaveTopic() {
        in.connection().sendControlMessage(NoticeLayout.ofSubscription(RbmqType.TOPIC_UNSUBSCRIBE, 1, ""));
    }

    /** Unsubscribes from a buffer, but not from its topic. */
    void leaveBuffer(int bufferId) {
        in.unsubscribe(bufferId);
    }

    /** Returns the id of the first buffer that the broker has added to the topic. */
    int listedBuffer() throws Exception {
        return listed.get(60, TimeUnit.SECONDS).bufferId();
    }

    /** Subscribes to a buffer, whether or not the broker has listed it. */
    CompletableFuture<Void> subscribe(int bufferId, SubscribeOptions options) {
        return in.subscribe(bufferId, 1 << 20, options.withFlowControl(true));
    }

    /** Stops consuming data that arrives. */
    void consumeNothing() {
        consumes = false;
    }

    /**
     * Returns the events so far: the text of each message, {@code missed} with the number of bytes, or {@code end} with
     * the reason. Each message must arrive in a separate transfer.
     */
    List<String> events() {
        return events;
    }

    /** Closes the connection. */
    void close() {
        in.connection().close();
    }
}
