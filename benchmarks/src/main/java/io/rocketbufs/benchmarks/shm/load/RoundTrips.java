package io.rocketbufs.benchmarks.shm.load;

import io.rocketbufs.benchmarks.compare.LoadTimes;
import io.rocketbufs.benchmarks.compare.LoadWindow;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import org.HdrHistogram.Histogram;

/**
 * The side that measures the round trips. When an answer arrives, the receiving thread sends the next message.
 *
 * <p><b>Thread-safety:</b> one thread calls {@link #start}; after that, the receiving thread sends. The times may be
 * read once {@link #finished} has completed.
 */
final class RoundTrips implements LongConsumer {
    private final MessageChannel channel;
    private final LoadWindow window;
    private final Histogram times = LoadTimes.histogram();
    private final CompletableFuture<Void> finished = new CompletableFuture<>();
    private long startNs;

    RoundTrips(MessageChannel channel, LoadWindow window) {
        this.channel = channel;
        this.window = window;
    }

    /** Sends the first message. */
    void start() {
        startNs = System.nanoTime();
        channel.send(0);
    }

    @Override
    public void accept(long number) {
        long nowNs = System.nanoTime();
        // Record at least one time, even on a busy machine.
        if (window.isOpen() || window.isOver() && times.getTotalCount() == 0) {
            times.recordValue(nowNs - startNs);
        }
        if (window.isOver()) {
            finished.complete(null);
        } else {
            startNs = nowNs;
            channel.send(number + 1);
        }
    }

    /** Returns a future that completes when the answer to the last message has arrived. */
    CompletableFuture<Void> finished() {
        return finished;
    }

    /** Returns the times of the round trips that ended while the window was open. */
    Histogram times() {
        return times;
    }
}
