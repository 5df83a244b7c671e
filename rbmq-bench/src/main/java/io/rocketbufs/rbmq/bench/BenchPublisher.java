package io.rocketbufs.rbmq.bench;

import io.rocketbufs.rbmq.client.PublishBatch;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.TopicPublisher;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntUnaryOperator;

/**
 * One publisher of a benchmark, which publishes as fast as possible or at a fixed rate. With several topics, it
 * publishes to each of them in turn, and each topic has a separate number and sequence. With batches, it publishes
 * several messages to a topic with one call, but never delays them until the next message is due.
 *
 * <p><b>Thread-safety:</b> {@link #run} on a dedicated thread, the other methods on any one thread.
 */
public final class BenchPublisher implements Runnable {
    /** Number of messages published between two checks of {@code stopped}. */
    private static final int BURST = 256;

    private final Stream[] streams;
    private final int length;
    private final long rate;
    private final boolean stampsAll;
    private final int batchCount;
    private final Counter sent = new Counter();
    private final Window window = new Window(sent);
    private volatile boolean stopped;
    private volatile Thread thread;
    private volatile String problem;
    private int next;

    /** The sequence of messages to one topic. */
    private static final class Stream {
        private final TopicPublisher topic;
        private final int number;
        private final Payload payload;
        private final PublishBatch batch;
        private long sequence;
        /** Number of messages counted as sent so far, if messages are published in batches. */
        private long countedCount;

        private Stream(TopicPublisher topic, int number, Payload payload) {
            this.topic = topic;
            this.number = number;
            this.payload = payload;
            this.batch = topic.batch();
        }
    }

    /**
     * Prepares the messages.
     *
     * @param numbers function from the index of a topic to the number in its messages, which identifies the publisher
     *     and the topic and is less than {@link BenchMessageLayout#MAX_PUBLISHERS}
     * @param length length of a message in bytes, at least {@link BenchMessageLayout#MIN_LENGTH}
     * @param rate messages per second; 0 for no limit
     * @param stampsAll true to time every message instead of one in 1,024
     * @param batchCount number of messages published to a topic with one call
     */
    public BenchPublisher(
            List<TopicPublisher> topics,
            IntUnaryOperator numbers,
            int length,
            long rate,
            boolean stampsAll,
            int batchCount) {
        Payload.Cache payloads = new Payload.Cache();
        this.streams = new Stream[topics.size()];
        for (int i = 0; i < streams.length; i++) {
            int number = numbers.applyAsInt(i);
            streams[i] = new Stream(topics.get(i), number, payloads.get(number, length));
        }
        this.length = length;
        this.rate = rate;
        this.stampsAll = stampsAll && BenchMessageLayout.isStamped(length);
        this.batchCount = batchCount;
    }

    /** Publishes until stopped or refused. */
    @Override
    public void run() {
        thread = Thread.currentThread();
        if (rate == 0) {
            runFlatOut();
        } else {
            runPaced(new Pace(rate));
        }
        publishBatches();
    }

    /** Starts the measurement. */
    public void begin() {
        window.begin();
    }

    /** Ends the measurement. */
    public void end() {
        window.end();
    }

    /** Stops {@link #run}, even while it is waiting for space that subscribers may never free. */
    public void stop() {
        stopped = true;
        Thread running = thread;
        if (running != null) {
            LockSupport.unpark(running);
        }
    }

    /** Returns the number of messages published since the start. */
    public long sent() {
        return sent.get();
    }

    /** Returns the rate during the measurement in messages per second. */
    public double perSecond() {
        return window.perSecond();
    }

    /** Returns the reason why publishing ended early; null if it has not. */
    public String problem() {
        return problem;
    }

    private void runFlatOut() {
        boolean goesOn = true;
        while (goesOn && !stopped) {
            for (int i = 0; goesOn && i < BURST; i++) {
                Stream stream = next();
                goesOn = publish(stream, isSpecimen(stream) ? System.nanoTime() : BenchMessageLayout.NO_STAMP);
            }
        }
    }

    private void runPaced(Pace pace) {
        boolean goesOn = true;
        while (goesOn && !stopped) {
            if (batchCount > 1 && !pace.isDue()) {
                publishBatches();
            }
            if (pace.awaitDue()) {
                Stream stream = next();
                boolean stamped = stampsAll || isSpecimen(stream);
                goesOn = publish(stream, stamped ? pace.dueNs() : BenchMessageLayout.NO_STAMP);
                pace.advance();
            }
        }
    }

    private static String problem(TopicPublisher topic, PublishResult result) {
        return switch (result) {
            case REFUSED ->
                topic.announced()
                        .handle((accepted, refusal) -> refusal == null
                                ? "the broker refused topic \"" + topic.topic() + "\""
                                : refusal.getMessage())
                        .join();
            case NOT_CONNECTED -> "the connection to the broker was lost";
            default -> "publishing to topic \"" + topic.topic() + "\" was interrupted";
        };
    }

    private Stream next() {
        Stream stream = streams[next++];
        if (next == streams.length) {
            next = 0;
        }
        return stream;
    }

    private static boolean isSpecimen(Stream stream) {
        return BenchMessageLayout.isSpecimen(stream.sequence);
    }

    private boolean publish(Stream stream, long stamp) {
        byte[] message = stream.payload.message(stream.number, stream.sequence, stamp);
        if (batchCount > 1) {
            return addToBatch(stream, message);
        }
        PublishResult result = stream.topic.publish(message, 0, length);
        if (result == PublishResult.PUBLISHED) {
            stream.sequence++;
            sent.increment();
        }
        return goesOn(stream, result);
    }

    private boolean addToBatch(Stream stream, byte[] message) {
        PublishBatch batch = stream.batch;
        if (!batch.add(message, 0, length)) {
            count(stream);
            return goesOn(stream, batch.refusal());
        }
        stream.sequence++;
        return batch.count() < batchCount || publishBatch(stream);
    }

    private boolean publishBatch(Stream stream) {
        PublishResult result = stream.batch.publish();
        count(stream);
        return goesOn(stream, result);
    }

    private void publishBatches() {
        for (Stream stream : streams) {
            publishBatch(stream);
        }
    }

    /** Counts the messages published in a stream's batches since the last call. */
    private void count(Stream stream) {
        long publishedCount = stream.batch.publishedCount();
        sent.add(publishedCount - stream.countedCount);
        stream.countedCount = publishedCount;
    }

    private boolean goesOn(Stream stream, PublishResult result) {
        if (result == PublishResult.PUBLISHED || result == PublishResult.UNHEARD) {
            return true;
        }
        problem = problem(stream.topic, result);
        return false;
    }
}
