package io.rocketbufs.rbmq.cli;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Lines that a peer can cause as often as it likes. At most one line per second is printed; it states how many before
 * it were left out. Otherwise, a peer could fill a log file, or block the worker with an output that is not read.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class LimitedLines {
    private static final long INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);

    private final Consumer<String> output;
    private final LongSupplier clock;
    private boolean hasPrinted;
    private long lastNs;
    private long leftOutCount;

    /**
     * Creates lines of which none has been printed.
     *
     * @param output prints a line
     * @param clock returns the time in nanoseconds, like {@link System#nanoTime}
     */
    LimitedLines(Consumer<String> output, LongSupplier clock) {
        this.output = output;
        this.clock = clock;
    }

    /** Prints a line, or counts it if the last one was printed less than a second ago. */
    synchronized void say(String line) {
        long nowNs = clock.getAsLong();
        if (hasPrinted && nowNs - lastNs < INTERVAL_NS) {
            leftOutCount++;
            return;
        }
        hasPrinted = true;
        lastNs = nowNs;
        output.accept(line + (leftOutCount == 0 ? "" : " (" + leftOutCount + " lines before this one were left out)"));
        leftOutCount = 0;
    }

    /** Prints how many lines were left out since the last one that was printed, if any were. */
    synchronized void close() {
        if (leftOutCount > 0) {
            output.accept(leftOutCount + " further lines were left out");
            leftOutCount = 0;
        }
    }
}
