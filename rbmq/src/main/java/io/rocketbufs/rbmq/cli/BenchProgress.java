package io.rocketbufs.rbmq.cli;

import io.rocketbufs.cli.Streams;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;

/**
 * The progress display of a benchmark on standard error. On a terminal, it is one line that is updated every second;
 * otherwise, it is an occasional line.
 *
 * <p><b>Thread-safety:</b> one thread.
 */
final class BenchProgress {
    private static final int SPARSE = 5;
    private static final double SECOND_NS = 1e9;
    private static final String ERASE_LINE = "\r\u001b[K";

    private final Streams streams;
    private final boolean terminal = isTerminal();
    private String phase = "";
    private long beginNs;
    private long lastNs;
    private long lastPublished;
    private long lastDelivered;
    private int count;
    private boolean open;

    BenchProgress(Streams streams) {
        this.streams = streams;
    }

    /** Returns true if standard error is a terminal. */
    boolean isWatched() {
        return terminal;
    }

    /** Starts another measurement, whose counts start at 0. */
    void restart() {
        lastNs = 0;
    }

    /** Starts a phase. */
    void begins(String phase, Duration duration, boolean mayEndEarlier) {
        String limit = mayEndEarlier ? "at most " : "";
        ends();
        this.phase = phase;
        beginNs = System.nanoTime();
        count = 0;
        streams.say(phase + " for " + limit + duration.toMillis() / 1000.0 + " s");
    }

    /** Shows the message rates since the previous call, computed from the given total counts. */
    void at(long nowNs, long published, long delivered) {
        if (lastNs != 0) {
            double seconds = (nowNs - lastNs) / SECOND_NS;
            show(nowNs, (published - lastPublished) / seconds, (delivered - lastDelivered) / seconds);
        }
        lastNs = nowNs;
        lastPublished = published;
        lastDelivered = delivered;
    }

    /** Ends the display by erasing the line, if one is shown. */
    void ends() {
        if (open) {
            streams.err().print(ERASE_LINE);
            streams.err().flush();
            open = false;
        }
    }

    private void show(long nowNs, double published, double delivered) {
        String line = String.format(
                Locale.ROOT,
                "%s %3.0f s: %,12.0f published/s, %,12.0f delivered/s",
                phase,
                (nowNs - beginNs) / SECOND_NS,
                published,
                delivered);
        count++;
        if (terminal) {
            open = true;
            streams.err().print(ERASE_LINE + line);
            streams.err().flush();
        } else if (count % SPARSE == 0) {
            streams.say(line);
        }
    }

    /**
     * Returns true if standard error is a terminal. {@link System#console} would check only standard input and output.
     */
    private static boolean isTerminal() {
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/2")).toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }
}
