package io.rocketbufs.examples;

import io.rocketbufs.ConnectOptions;
import io.rocketbufs.Connection;
import io.rocketbufs.RIn;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.Segment;
import io.rocketbufs.rocketnet.TransportException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;

/** A program that prints the messages of a topic of a {@link ListingThreeBroker}. */
final class ListingThreeSubscriber {
    private static final long CAPACITY = 1 << 20;

    private final int topicId;
    private final Semaphore arrived = new Semaphore(0);
    private RIn in;
    private volatile boolean ended;
    private volatile String failure;

    private ListingThreeSubscriber(String topic) {
        topicId = TopicMessageLayout.topicId(topic);
    }

    /** Prints the messages of TOPIC from the broker at HOST:PORT until the topic ends. */
    public static void main(String[] arguments) throws InterruptedException {
        String topic = Arguments.text(arguments, 0, "greetings");
        InetSocketAddress broker = Arguments.address(arguments, 1, ListingThreeBroker.ADDRESS);
        try (RocketBufs rocketBufs = RocketBufs.open()) {
            ListingThreeSubscriber subscriber = new ListingThreeSubscriber(topic);
            Connection connection = rocketBufs
                    .connect(broker, ConnectOptions.as(Role.SUBSCRIBER, subscriber::attach))
                    .join();
            await(subscriber.in.subscribe(subscriber.topicId, CAPACITY), topic);
            System.out.println("subscribed to " + topic);
            subscriber.printUntilTheEnd();
            connection.close();
            connection.closed().join();
        }
    }

    /**
     * Waits until the broker has accepted the subscription to a topic. Throws an exception if the topic has no
     * publisher.
     */
    static void await(CompletableFuture<Void> subscribed, String topic) {
        try {
            subscribed.join();
        } catch (CompletionException e) {
            throw new TransportException(
                    TransportException.Code.REFUSED,
                    "cannot subscribe to topic \"" + topic + "\"; does it have a publisher? "
                            + e.getCause().getMessage(),
                    e);
        }
    }

    /**
     * Sets the callbacks of a connection. They run on the worker, which also serves other connections, so they only
     * wake the printing thread.
     */
    private void attach(Connection connection) {
        connection.setCloseCallback(failure -> {}); // prevents a log line; the end of the buffer reports a loss
        in = new RIn(connection);
        in.setDataInCallback((bufferId, data) -> arrived.release());
        in.setBufferEndCallback((bufferId, why) -> {
            failure = why;
            ended = true;
            arrived.release();
        });
    }

    private void printUntilTheEnd() throws InterruptedException {
        boolean last;
        do {
            arrived.acquire();
            last = ended; // checked before the data is read; the data stays readable after the end
            Segment data = in.bufferRef(topicId);
            for (long i = 0; i < data.length(); ) {
                byte[] text = TopicMessageLayout.text(data, i);
                System.out.write(text, 0, text.length);
                System.out.println();
                i += TopicMessageLayout.HEADER_LENGTH + text.length;
            }
            in.dataConsumed(topicId, data.length()); // returns credit; otherwise, the publisher runs out of space
        } while (!last);
        if (failure != null) {
            throw new TransportException(TransportException.Code.PEER_LOST, "the topic was cut off: " + failure);
        }
        System.out.println("the topic has ended");
    }
}
