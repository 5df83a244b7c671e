package io.rocketbufs.rbmq.cli;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Output lines whose frequency a peer controls. At most one line per second is printed; it states how many preceding
 * lines were suppressed. Without this limit, a peer could fill a log file, or block the worker if the output is not
 * read.
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
     * Creates a limiter that has not printed a line yet.
     *
     * @param output prints a line
     * @param clock supplies the time in nanoseconds, like {@link System#nanoTime}
     */
    LimitedLines(Consumer<String> output, LongSupplier clock) {
        this.output = output;
        this.clock = clock;
    }

    /** Prints a line, or only counts it if another line was printed less than a second ago. */
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

    /** Prints the number of lines suppressed since the last printed line, if there are any. */
    synchronized void close() {
        if (leftOutCount > 0) {
            output.accept(leftOutCount + " further lines were left out");
            leftOutCount = 0;
        }
    }
}
