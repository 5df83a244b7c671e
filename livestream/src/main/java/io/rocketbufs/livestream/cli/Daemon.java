package io.rocketbufs.livestream.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Keeps a command in the foreground until a signal ends it. Opened before everything else and so closed after it: the
 * process waits for that. The JVM chooses the exit code then: 143 or 130.
 *
 * <p><b>Thread-safety:</b> one thread.
 */
final class Daemon implements AutoCloseable {
    private static final int LIMIT_S = 20;

    private final CountDownLatch stop = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Thread hook = new Thread(this::onSignal, "livestream-termination");

    private Daemon() {}

    /** From now on a signal means an orderly end. */
    static Daemon begin() {
        Daemon daemon = new Daemon();
        Runtime.getRuntime().addShutdownHook(daemon.hook);
        return daemon;
    }

    private void onSignal() {
        stop.countDown();
        try {
            ended.await(LIMIT_S, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Makes the end of standard input the same as a signal. */
    void endWith(InputStream in) {
        Thread reader = new Thread(
                () -> {
                    try {
                        in.transferTo(OutputStream.nullOutputStream());
                    } catch (IOException e) {
                        // An end like any other.
                    }
                    stop.countDown();
                },
                "livestream-stdin");
        reader.setDaemon(true);
        reader.start();
    }

    /** Waits for a signal. */
    void await() throws InterruptedException {
        stop.await();
    }

    /** Waits for a signal, for a while; true when it has come. */
    boolean await(long ms) throws InterruptedException {
        return stop.await(ms, TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        ended.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The process is ending already.
            ended.countDown();
        }
    }
}
