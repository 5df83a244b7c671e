package io.rocketbufs.cli;

import io.rocketbufs.memory.PipeReaders;

/**
 * A watch on standard output. If standard output is a pipe or socket, the watch detects when the last reader closes it,
 * even while there is nothing to write.
 *
 * <p><b>Thread-safety:</b> any thread may use it.
 */
public final class OutputWatch implements AutoCloseable {
    private static final int STANDARD_OUTPUT = 1;
    private static final int PERIOD_MS = 1000;

    private final PipeReaders readers;
    private final Runnable onReaderGone;
    private volatile boolean ended;

    private OutputWatch(PipeReaders readers, Runnable onReaderGone) {
        this.readers = readers;
        this.onReaderGone = onReaderGone;
    }

    /**
     * Starts watching this process's standard output.
     *
     * @param onReaderGone called on a separate thread, at most once; never if standard output is neither a pipe nor a
     *     socket
     */
    public static OutputWatch start(Runnable onReaderGone) {
        OutputWatch watch = new OutputWatch(PipeReaders.of(STANDARD_OUTPUT), onReaderGone);
        Thread thread = new Thread(watch::run, "output-watch");
        thread.setDaemon(true);
        thread.start();
        return watch;
    }

    /** Ends the watch. Does not wait for its thread, which ends within a second. Idempotent. */
    public void end() {
        ended = true;
    }

    /** Ends the watch like {@link #end}. */
    @Override
    public void close() {
        end();
    }

    private void run() {
        PipeReaders.State state = readers == null ? PipeReaders.State.UNKNOWN : PipeReaders.State.PRESENT;
        while (state == PipeReaders.State.PRESENT && !ended) {
            state = readers.awaitNone(PERIOD_MS);
        }
        if (state == PipeReaders.State.GONE && !ended) {
            onReaderGone.run();
        }
    }
}
