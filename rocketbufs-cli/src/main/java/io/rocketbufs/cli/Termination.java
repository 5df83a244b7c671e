package io.rocketbufs.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Graceful termination after SIGTERM or Ctrl-C: this object asks the command to stop, and the process waits until the
 * command has stopped. The JVM chooses the exit code: 143 or 130.
 *
 * <p><b>Thread-safety:</b> any thread may use it.
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

    /**
     * Returns a termination that calls {@code stop} on a separate thread after a signal. The process then waits for up
     * to 20 s until the returned object is closed.
     */
    public static Termination stopsBy(Runnable stop) {
        return new Termination(stop, true).hook();
    }

    /**
     * Returns a termination that calls {@code end} on a separate thread after a signal. {@code end} must do all
     * necessary work, because the process does not wait for the command, which may be blocked in a read.
     */
    public static Termination endsBy(Runnable end) {
        return new Termination(end, false).hook();
    }

    /** Returns whether the process is ending. */
    public boolean isRequested() {
        return requested;
    }

    /** Called when the command has ended. */
    @Override
    public void close() {
        ended.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The process is already ending: the hook runs and detects that the command has ended.
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
