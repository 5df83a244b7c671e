package io.rocketbufs.rbmq.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Turns SIGTERM and Ctrl-C into an orderly end: the command is told to stop, and the process waits for it. The JVM
 * chooses the exit code then: 143 or 130.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class Termination implements AutoCloseable {
    private static final int LIMIT_S = 20;

    private final CountDownLatch ended = new CountDownLatch(1);
    private final Runnable stop;
    private final boolean waits;
    private final Thread hook = new Thread(this::onSignal, "rbmq-termination");
    private volatile boolean requested;

    private Termination(Runnable stop, boolean waits) {
        this.stop = stop;
        this.waits = waits;
    }

    /** Calls {@code stop} on a signal, and waits then until this is closed, though not for ever. */
    static Termination stopsBy(Runnable stop) {
        return new Termination(stop, true).hook();
    }

    /** Calls {@code end} on a signal, which does all that is to be done: the command itself may be stuck in a read. */
    static Termination endsBy(Runnable end) {
        return new Termination(end, false).hook();
    }

    /** True when the process is ending. */
    boolean isRequested() {
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
        if (ended.getCount() == 0) {
            return;
        }
        stop.run();
        try {
            ended.await(waits ? LIMIT_S : 0, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
