package io.rocketbufs.rbmq.bench;

import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.TopicPublisher;
import java.util.concurrent.locks.LockSupport;

/**
 * One publisher of a benchmark: as fast as it can, or at a fixed rate.
 *
 * <p><b>Thread-safety:</b> {@link #run} on a thread of its own, the others from any one thread.
 */
public final class BenchPublisher implements Runnable {
    /** Messages between two looks at whether to stop. */
    private static final int BURST = 256;

    private final TopicPublisher topic;
    private final int number;
    private final int length;
    private final long rate;
    private final boolean stampsAll;
    private final Payload payload;
    private final Counter sent = new Counter();
    private final Window window = new Window(sent);
    private volatile boolean stopped;
    private volatile Thread thread;
    private volatile PublishResult refusal;
    private long sequence;

    /**
     * Prepares the messages.
     *
     * @param number tells publishers apart, below {@link BenchMessageLayout#MAX_PUBLISHERS}
     * @param length bytes of a message, at least {@link BenchMessageLayout#MIN_LENGTH}
     * @param rate messages per second; 0 = as many as possible
     * @param stampsAll false stamps only one message in 1,024
     */
    public BenchPublisher(TopicPublisher topic, int number, int length, long rate, boolean stampsAll) {
        this.topic = topic;
        this.number = number;
        this.length = length;
        this.rate = rate;
        this.stampsAll = stampsAll && BenchMessageLayout.isStamped(length);
        this.payload = new Payload(number, length);
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
                goesOn = publish(isSpecimen() ? System.nanoTime() : BenchMessageLayout.NO_STAMP);
            }
        }
    }

    private void runPaced(Pace pace) {
        boolean goesOn = true;
        while (goesOn && !stopped) {
            if (pace.awaitDue()) {
                goesOn = publish(stampsAll || isSpecimen() ? pace.dueNs() : BenchMessageLayout.NO_STAMP);
                pace.advance();
            }
        }
    }

    private boolean isSpecimen() {
        return BenchMessageLayout.isSpecimen(sequence);
    }

    private boolean publish(long stamp) {
        PublishResult result = topic.publish(payload.message(number, sequence, stamp), 0, length);
        if (result != PublishResult.PUBLISHED) {
            refusal = result;
            return false;
        }
        sequence++;
        sent.increment();
        return true;
    }
}
