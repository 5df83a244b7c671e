package io.rocketbufs.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A request to stop a command that would otherwise run forever: SIGTERM, Ctrl-C, or the end of an input. The process
 * waits until this object is closed. Therefore, resources that a command opens after this object and closes before it
 * are closed gracefully. After a signal, the JVM chooses the exit code: 143 or 130.
 *
 * <p><b>Thread-safety:</b> any thread may use it.
 */
public final class StopRequest implements AutoCloseable {
    private final CountDownLatch made = new CountDownLatch(1);
    private final Termination termination = Termination.stopsBy(made::countDown);

    private StopRequest() {}

    /** Returns a request that the next signal triggers. */
    public static StopRequest bySignal() {
        return new StopRequest();
    }

    /** Also triggers the request at the end of the given input. A separate thread reads the input and discards it. */
    public void alsoAtEndOf(InputStream in) {
        Thread reader = new Thread(
                () -> {
                    try {
                        in.transferTo(OutputStream.nullOutputStream());
                    } catch (IOException e) {
                        // Handled like the end of the input.
                    }
                    made.countDown();
                },
                "stdin");
        reader.setDaemon(true);
        reader.start();
    }

    /** Returns whether the request has been made. */
    public boolean isMade() {
        return made.getCount() == 0;
    }

    /** Waits for the request. */
    public void await() throws InterruptedException {
        made.await();
    }

    /** Waits for the request for a limited time. Returns whether the request has been made. */
    public boolean await(Duration limit) throws InterruptedException {
        return made.await(limit.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Called when the command has closed all its resources. After this call, a signal ends the process immediately. */
    @Override
    public void close() {
        termination.close();
    }
}
