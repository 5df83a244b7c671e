package io.rocketbufs.examples;

import io.rocketbufs.Connection;
import io.rocketbufs.Listener;
import io.rocketbufs.ROut;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Segment;
import io.rocketbufs.options.BufferOptions;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * A program that publishes a thousand ticks per second for each of its tickers. It never waits for subscribers, because
 * new data overwrites the oldest data in its buffers.
 */
final class TickerPublisher {
    static final InetSocketAddress ADDRESS = new InetSocketAddress("127.0.0.1", 7622);
    private static final List<String> TICKERS = List.of("gold", "silver"); // each index is the buffer id
    /** Space for a quarter of a second's ticks. Older ticks are overwritten, even if they have not been sent. */
    private static final long CAPACITY = 256 * TickLayout.LENGTH;

    private final ROut out;
    private long tick;

    private TickerPublisher(RocketBufs rocketBufs) {
        out = new ROut(rocketBufs);
        for (int bufferId = 0; bufferId < TICKERS.size(); bufferId++) {
            out.createBuffer(bufferId, CAPACITY, BufferOptions.DEFAULTS.withFlowControl(false));
        }
    }

    /** Serves on HOST:PORT until Ctrl-C. */
    public static void main(String[] arguments) throws InterruptedException, ExecutionException {
        try (RocketBufs rocketBufs = RocketBufs.open();
                Listener listener = new Listener(rocketBufs, Arguments.address(arguments, 0, ADDRESS))) {
            TickerPublisher publisher = new TickerPublisher(rocketBufs);
            listener.setConnectionCallback(publisher::onConnection);
            System.out.println("listening on port " + listener.address().getPort());
            publisher.publishEachMillisecond();
        }
    }

    /**
     * Publishes ticks until an exception is thrown. No ticks are published after the exception, so the resources can be
     * closed.
     */
    private void publishEachMillisecond() throws InterruptedException, ExecutionException {
        ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
        try {
            clock.scheduleAtFixedRate(this::publish, 0, 1, TimeUnit.MILLISECONDS)
                    .get();
        } finally {
            clock.shutdownNow();
        }
    }

    private void onConnection(Connection connection) {
        connection.setControlMessageCallback(message -> onQuestion(connection, message));
        out.addConnection(connection);
    }

    /**
     * Replies to a message that contains a ticker's name with the ticker's buffer id, or with -1 if there is no such
     * ticker.
     */
    private static void onQuestion(Connection connection, ByteBuffer message) {
        String ticker = StandardCharsets.UTF_8.decode(message).toString();
        int bufferId = TICKERS.indexOf(ticker);
        connection.sendControlMessage(
                ByteBuffer.allocate(Integer.BYTES).putInt(bufferId).flip());
    }

    private void publish() {
        for (int bufferId = 0; bufferId < TICKERS.size(); bufferId++) {
            Segment segment = out.getOutputSegment(bufferId, TickLayout.LENGTH, false);
            if (segment.vecCount() < 0) {
                return; // WRITES_PENDING: the oldest data is still being sent; the next tick is due in 1 ms
            }
            TickLayout.write(segment, tick, TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()));
            out.deliver(segment, TickLayout.LENGTH);
        }
        tick++;
    }
}
