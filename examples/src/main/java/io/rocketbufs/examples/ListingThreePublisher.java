package io.rocketbufs.examples;

import io.rocketbufs.ConnectOptions;
import io.rocketbufs.Connection;
import io.rocketbufs.ROut;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.Segment;
import io.rocketbufs.SubscriptionCallback;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;

/** A program that publishes the lines of its standard input to a topic of a {@link ListingThreeBroker}. */
final class ListingThreePublisher {
    private static final long CAPACITY = 1 << 20;

    private final ROut out;
    private final int topicId;
    private final Semaphore space = new Semaphore(0);
    private final CompletableFuture<Void> subscribed = new CompletableFuture<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private long waitCount;

    private ListingThreePublisher(RocketBufs rocketBufs, String topic) {
        out = new ROut(rocketBufs);
        topicId = TopicMessageLayout.topicId(topic);
        out.setSpaceCallback(bufferId -> space.release());
        out.setSubscriptionCallback(new SubscriptionCallback() {
            @Override
            public void onSubscribed(int bufferId, Connection connection) {
                subscribed.complete(null);
            }
        });
        out.createBuffer(topicId, CAPACITY);
    }

    /** Publishes the lines of standard input to TOPIC on the broker at HOST:PORT, until the input ends. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        String topic = Arguments.text(arguments, 0, "greetings");
        InetSocketAddress broker = Arguments.address(arguments, 1, ListingThreeBroker.ADDRESS);
        try (RocketBufs rocketBufs = RocketBufs.open()) {
            ListingThreePublisher publisher = new ListingThreePublisher(rocketBufs, topic);
            Connection connection = rocketBufs
                    .connect(broker, ConnectOptions.as(Role.PUBLISHER, publisher::attach))
                    .join();
            connection.sendControlMessage(TopicMessageLayout.announcement(topic));
            publisher.awaitOrEnd(publisher.subscribed); // earlier deliveries would reach no subscriber
            System.out.println("publishing " + topic);
            publisher.publishLines();
            connection.close();
            publisher.ended.join();
        }
    }

    private void attach(Connection connection) {
        connection.setCloseCallback(failure -> {
            if (failure != null) {
                ended.completeExceptionally(failure);
            } else {
                ended.complete(null);
            }
        });
        out.addConnection(connection);
    }

    private void publishLines() throws IOException, InterruptedException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        long count = 0;
        for (String line = lines.readLine(); line != null && !ended.isDone(); line = lines.readLine()) {
            byte[] text = line.getBytes(StandardCharsets.UTF_8);
            while (!publish(text)) {
                if (waitCount++ == 0) {
                    System.out.println("no space: waiting for the subscribers");
                }
                space.acquire(); // released when enough space is free, or the connection is lost
            }
            count++;
        }
        awaitOrEnd(out.flush(topicId)); // until the broker has forwarded everything
        System.out.println("published " + count + " lines, waited " + waitCount + " times for space");
    }

    private boolean publish(byte[] text) {
        int length = TopicMessageLayout.HEADER_LENGTH + text.length;
        Segment segment = out.getOutputSegment(topicId, length, false);
        if (segment == Segment.NO_SPACE) {
            return false; // the subscribers lag behind
        }
        TopicMessageLayout.write(segment, topicId, text);
        out.deliver(segment, length);
        return true;
    }

    /**
     * Waits for a future or for the end of the connection, whichever comes first. Throws an exception if the first to
     * complete has failed.
     */
    private void awaitOrEnd(CompletableFuture<Void> future) {
        CompletableFuture.anyOf(future, ended).join();
    }
}
