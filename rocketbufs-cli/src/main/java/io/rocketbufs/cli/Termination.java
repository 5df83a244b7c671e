package io.rocketbufs.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Turns SIGTERM and Ctrl-C into an orderly end: the command is told to stop, and the process waits for it. The JVM
 * chooses the exit code then: 143 or 130.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
public final class Termination implements AutoCloseable {
    private static final int LIMIT_S = 20;

    private final CountDownLatch ended = new CountDownLatch(1);
    private final Runnable stop;
    private final boolean waits;
    private final Thread hook = new Thread(this::onSignal, "termination");
    private volatile boolean requested;

    private Termination(Runnable stop, boolean waits) {
        this.stop = stop;
        this.waits = waits;
    }

    /** Calls {@code stop} on a signal, on a thread of its own, and waits then until this is closed, 20 s at most. */
    public static Termination stopsBy(Runnable stop) {
        return new Termination(stop, true).hook();
    }

    /**
     * Calls {@code end} on a signal, on a thread of its own. It does all that is to be done, and nobody waits for the
     * command, which may be stuck in a read.
     */
    public static Termination endsBy(Runnable end) {
        return new Termination(end, false).hook();
    }

    /** True when the process is ending. */
    public boolean isRequested() {
        return requested;
    }

    /** The command has done everything that it wants to do. */
    @Override
    public void close() {
        ended.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The process is ending: the hook runs, and finds that the command has ended.
            requested = true;
        }
    }

    private Termination hook() {
        Runtime.getRuntime().addShutdownHook(hook);
        return this;
    }

    private void onSignal() {
        requested = true;
        if (ended.getCount() > 0) {
            stop.run();
            awaitEnd();
        }
        LogConfiguration.flush();
    }

    private void awaitEnd() {
        try {
            ended.await(waits ? LIMIT_S : 0, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
