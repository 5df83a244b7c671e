package io.rocketbufs.examples;

import io.rocketbufs.Connection;
import io.rocketbufs.Listener;
import io.rocketbufs.RIn;
import io.rocketbufs.ROut;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.Segment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** The broker of the paper's Listing 3. It receives topics from publishers and forwards them to subscribers. */
final class ListingThreeBroker implements AutoCloseable {
    static final InetSocketAddress ADDRESS = new InetSocketAddress("127.0.0.1", 7620);
    private static final long CAPACITY = 1 << 20;

    private final ROut out; // dissemination
    private final Listener listener;

    ListingThreeBroker(RocketBufs rocketBufs, InetSocketAddress address) {
        out = new ROut(rocketBufs);
        listener = new Listener(rocketBufs, address);
        listener.setConnectionCallback(this::onConnection);
    }

    /** Serves on HOST:PORT until Ctrl-C. */
    public static void main(String[] arguments) throws InterruptedException {
        try (RocketBufs rocketBufs = RocketBufs.open();
                ListingThreeBroker broker =
                        new ListingThreeBroker(rocketBufs, Arguments.address(arguments, 0, ADDRESS))) {
            System.out.println("listening on port " + broker.listener.address().getPort());
            Thread.currentThread().join();
        }
    }

    /** Creates an RIn for each publisher, and adds each subscriber to the single ROut. */
    private void onConnection(Connection connection) {
        if (connection.role() == Role.PUBLISHER) {
            RIn in = new RIn(connection);
            Map<Integer, String> topics = new HashMap<>(); // by buffer id; used only by this connection's worker
            in.setControlMessageCallback(message -> onTopicCreation(in, topics, message));
            in.setDataInCallback((bufferId, data) -> verifyTopicMapping(topics.get(bufferId), data));
        } else if (connection.role() == Role.SUBSCRIBER) {
            out.addConnection(connection);
        }
    }

    /** Reads the id of the publisher's buffer and the name of the topic that the buffer carries. */
    private void onTopicCreation(RIn in, Map<Integer, String> topics, ByteBuffer message) {
        int bufferId = message.getInt();
        topics.put(bufferId, StandardCharsets.UTF_8.decode(message).toString());
        in.subscribe(bufferId, CAPACITY);
        out.splice(in, bufferId); // from here on, data is sent to subscribers from the memory where it arrived
    }

    /** Checks that data starts with the hash of its topic's name. An exception closes the publisher's connection. */
    private static void verifyTopicMapping(String topic, Segment data) {
        if (data.getInt(0) != topic.hashCode()) {
            throw new IllegalArgumentException("the buffer of topic " + topic + " carries another topic");
        }
    }

    InetSocketAddress address() {
        return listener.address();
    }

    @Override
    public void close() {
        listener.close();
        out.close();
    }
}
