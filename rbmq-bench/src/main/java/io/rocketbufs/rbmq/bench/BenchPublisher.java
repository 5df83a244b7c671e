package io.rocketbufs.rbmq.bench;

import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.TopicPublisher;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntUnaryOperator;

/**
 * One publisher of a benchmark: as fast as it can, or at a fixed rate. Where it has several topics, each message goes
 * to another, and each topic has a number and a sequence of its own.
 *
 * <p><b>Thread-safety:</b> {@link #run} on a thread of its own, the others from any one thread.
 */
public final class BenchPublisher implements Runnable {
    /** Messages between two looks at whether to stop. */
    private static final int BURST = 256;

    private final Stream[] streams;
    private final int length;
    private final long rate;
    private final boolean stampsAll;
    private final Counter sent = new Counter();
    private final Window window = new Window(sent);
    private volatile boolean stopped;
    private volatile Thread thread;
    private volatile PublishResult refusal;
    private int next;

    /** What goes to one topic. */
    private static final class Stream {
        private final TopicPublisher topic;
        private final int number;
        private final Payload payload;
        private long sequence;

        private Stream(TopicPublisher topic, int number, Payload payload) {
            this.topic = topic;
            this.number = number;
            this.payload = payload;
        }
    }

    /**
     * Prepares the messages.
     *
     * @param numbers of the topics, below {@link BenchMessageLayout#MAX_PUBLISHERS}: tell publishers and topics apart
     * @param length bytes of a message, at least {@link BenchMessageLayout#MIN_LENGTH}
     * @param rate messages per second; 0 = as many as possible
     * @param stampsAll false stamps only one message in 1,024
     */
    public BenchPublisher(
            List<TopicPublisher> topics, IntUnaryOperator numbers, int length, long rate, boolean stampsAll) {
        Payload.Cache payloads = new Payload.Cache();
        this.streams = new Stream[topics.size()];
        for (int i = 0; i < streams.length; i++) {
            int number = numbers.applyAsInt(i);
            streams[i] = new Stream(topics.get(i), number, payloads.get(number, length));
        }
        this.length = length;
        this.rate = rate;
        this.stampsAll = stampsAll && BenchMessageLayout.isStamped(length);
    }

    /** Publishes until stopped, or until it is refused. */
    @Override
    public void run() {
        thread = Thread.currentThread();
        if (rate == 0) {
            runFlatOut();
        } else {
            runPaced(new Pace(rate));
        }
    }

    /** Begins the measurement. */
    public void begin() {
        window.begin();
    }

    /** Ends the measurement. */
    public void end() {
        window.end();
    }

    /** Lets {@link #run} end, also where it waits for space: a subscriber may never give it. */
    public void stop() {
        stopped = true;
        Thread running = thread;
        if (running != null) {
            LockSupport.unpark(running);
        }
    }

    /** Messages published since the start. */
    public long sent() {
        return sent.get();
    }

    /** Messages per second within the measurement. */
    public double perSecond() {
        return window.perSecond();
    }

    /** Why it could not go on; null when it could. */
    public PublishResult refusal() {
        return refusal;
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
            if (pace.awaitDue()) {
                Stream stream = next();
                boolean stamped = stampsAll || isSpecimen(stream);
                goesOn = publish(stream, stamped ? pace.dueNs() : BenchMessageLayout.NO_STAMP);
                pace.advance();
            }
        }
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
        PublishResult result = stream.topic.publish(message, 0, length);
        if (result != PublishResult.PUBLISHED) {
            refusal = result;
            return false;
        }
        stream.sequence++;
        sent.increment();
        return true;
    }
}
