package io.rocketbufs.examples;

import io.rocketbufs.ConnectOptions;
import io.rocketbufs.Connection;
import io.rocketbufs.Listener;
import io.rocketbufs.RIn;
import io.rocketbufs.ROut;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A program that forwards one topic from each of two {@link ListingThreeBroker}s to its own subscribers, without
 * copying the data.
 */
final class SplicingRelay {
    private static final InetSocketAddress ADDRESS = new InetSocketAddress("127.0.0.1", 7621);
    private static final long CAPACITY = 1 << 20;

    private final RocketBufs rocketBufs;
    private final ROut out;

    private SplicingRelay(RocketBufs rocketBufs) {
        this.rocketBufs = rocketBufs;
        out = new ROut(rocketBufs);
    }

    /**
     * Serves two topics on HOST:PORT until both brokers disconnect: topic "east" of the broker at EAST, and topic
     * "west" of the broker at WEST.
     */
    public static void main(String[] arguments) {
        InetSocketAddress east = Arguments.address(arguments, 0, ListingThreeBroker.ADDRESS);
        InetSocketAddress west = Arguments.address(arguments, 1, ListingThreeBroker.ADDRESS);
        try (RocketBufs rocketBufs = RocketBufs.open();
                Listener listener = new Listener(rocketBufs, Arguments.address(arguments, 2, ADDRESS))) {
            SplicingRelay relay = new SplicingRelay(rocketBufs);
            Connection first = relay.passOn(east, "east");
            Connection second = relay.passOn(west, "west");
            listener.setConnectionCallback(relay.out::addConnection);
            System.out.println("listening on port " + listener.address().getPort());
            CompletableFuture.allOf(first.closed(), second.closed()).join();
        }
    }

    private Connection passOn(InetSocketAddress broker, String topic) {
        AtomicReference<CompletableFuture<Void>> subscribed = new AtomicReference<>();
        ConnectOptions options = ConnectOptions.as(
                Role.SUBSCRIBER,
                connection -> subscribed.set(splice(new RIn(connection), TopicMessageLayout.topicId(topic))));
        Connection connection = rocketBufs.connect(broker, options).join();
        ListingThreeSubscriber.await(subscribed.get(), topic);
        return connection;
    }

    /**
     * Splices a topic into the relay's output. The output forwards the data to subscribers from the memory in which it
     * arrived.
     */
    private CompletableFuture<Void> splice(RIn in, int topicId) {
        CompletableFuture<Void> subscribed = in.subscribe(topicId, CAPACITY);
        out.splice(in, topicId);
        return subscribed;
    }
}
