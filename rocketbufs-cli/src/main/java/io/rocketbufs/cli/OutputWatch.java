package io.rocketbufs.cli;

import io.rocketbufs.memory.PipeReaders;

/**
 * A watch on standard output, which detects that the last reader of that pipe is gone, even while there is nothing to
 * write.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
public final class OutputWatch {
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
     * Starts to watch the standard output of this process.
     *
     * @param onReaderGone called on a separate thread, at most once; never if standard output is no pipe
     */
    public static OutputWatch start(Runnable onReaderGone) {
        OutputWatch watch = new OutputWatch(PipeReaders.of(STANDARD_OUTPUT), onReaderGone);
        Thread thread = new Thread(watch::run, "output-watch");
        thread.setDaemon(true);
        thread.start();
        return watch;
    }

    /** Ends the watch. */
    public void end() {
        ended = true;
    }

    private void run() {
        while (readers != null && !ended) {
            if (readers.awaitNone(PERIOD_MS)) {
                onReaderGone.run();
                return;
            }
        }
    }
}
