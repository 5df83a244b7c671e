package io.rocketbufs.examples;

import io.rocketbufs.ConnectOptions;
import io.rocketbufs.Connection;
import io.rocketbufs.RIn;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.Segment;
import io.rocketbufs.options.SubscribeOptions;
import io.rocketbufs.rocketnet.TransportException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A program that reads a ticker of {@link TickerPublisher} whenever a line arrives on standard input, and prints how
 * many ticks it has missed since the last line.
 */
final class TickerSubscriber {
    /**
     * Space for a quarter of a second's ticks. While this buffer is full, no data is sent to it, and the publisher
     * overwrites the data in its own buffer.
     */
    private static final long CAPACITY = 256 * TickLayout.LENGTH;

    private final CompletableFuture<Integer> answer = new CompletableFuture<>();
    private final Queue<Gap> gaps = new ConcurrentLinkedQueue<>();
    private RIn in;

    private TickerSubscriber() {}

    /** Reads TICKER from the publisher at HOST:PORT until standard input ends. */
    public static void main(String[] arguments) throws IOException {
        String ticker = Arguments.text(arguments, 0, "gold");
        InetSocketAddress publisher = Arguments.address(arguments, 1, TickerPublisher.ADDRESS);
        try (RocketBufs rocketBufs = RocketBufs.open()) {
            TickerSubscriber subscriber = new TickerSubscriber();
            Connection connection = rocketBufs
                    .connect(publisher, ConnectOptions.as(Role.SUBSCRIBER, subscriber::attach))
                    .join();
            connection.sendControlMessage(ByteBuffer.wrap(ticker.getBytes(StandardCharsets.UTF_8)));
            int bufferId = subscriber.answer.join();
            if (bufferId < 0) {
                throw new IllegalArgumentException("there is no ticker \"" + ticker + "\"");
            }
            SubscribeOptions options = SubscribeOptions.DEFAULTS.withFlowControl(true); // no unread data is overwritten
            subscriber.in.subscribe(bufferId, CAPACITY, options).join();
            System.out.println("subscribed to " + ticker + ": press Enter to read");
            subscriber.readAtEachLine(bufferId);
            connection.close();
            connection.closed().join();
        }
    }

    private void attach(Connection connection) {
        in = new RIn(connection);
        in.setControlMessageCallback(message -> answer.complete(message.getInt()));
        in.setGapCallback((bufferId, position, lostLength) -> gaps.add(new Gap(position, lostLength)));
        connection.setCloseCallback(failure -> answer.completeExceptionally(
                failure != null
                        ? failure
                        : new TransportException(
                                TransportException.Code.CLOSED, "the publisher has closed the connection")));
    }

    private void readAtEachLine(int bufferId) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        while (lines.readLine() != null && in.connection().isOpen()) {
            Segment data = in.bufferRef(bufferId);
            if (data.length() == 0) {
                System.out.println("no new tick");
            } else {
                long last = TickLayout.number(data, data.length() - TickLayout.LENGTH);
                System.out.println("tick " + last + " after " + data.length() / TickLayout.LENGTH + " read and "
                        + missedBefore(data.position() + data.length()) / TickLayout.LENGTH + " missed");
                in.dataConsumed(bufferId, data.length());
            }
        }
        if (!in.connection().isOpen()) {
            throw new TransportException(TransportException.Code.PEER_LOST, "the publisher has disconnected");
        }
    }

    /** Returns the total length in bytes of the gaps before a position that have not been counted yet. */
    private long missedBefore(long position) {
        long missed = 0;
        while (!gaps.isEmpty() && gaps.peek().position < position) {
            missed += gaps.remove().lostLength;
        }
        return missed;
    }

    private record Gap(long position, long lostLength) {}
}
