package io.rocketbufs.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The wish that a command ends which would go on for ever: SIGTERM, Ctrl-C, or the end of an input. What a command
 * opens after this and closes before, is closed in good order: the process waits for that. The JVM chooses the exit
 * code of a signal: 143 or 130.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
public final class StopRequest implements AutoCloseable {
    private final CountDownLatch made = new CountDownLatch(1);
    private final Termination termination = Termination.stopsBy(made::countDown);

    private StopRequest() {}

    /** From now on a signal is a request to stop. */
    public static StopRequest bySignal() {
        return new StopRequest();
    }

    /** Makes the end of an input a request too. The input is read, and what it says dropped, on a thread of its own. */
    public void alsoAtEndOf(InputStream in) {
        Thread reader = new Thread(
                () -> {
                    try {
                        in.transferTo(OutputStream.nullOutputStream());
                    } catch (IOException e) {
                        // An end like any other.
                    }
                    made.countDown();
                },
                "stdin");
        reader.setDaemon(true);
        reader.start();
    }

    /** True when it was made. */
    public boolean isMade() {
        return made.getCount() == 0;
    }

    /** Waits for it. */
    public void await() throws InterruptedException {
        made.await();
    }

    /** Waits for it, for a while; true when it was made. */
    public boolean await(Duration limit) throws InterruptedException {
        return made.await(limit.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** The command has closed everything: a signal ends the process at once from now on. */
    @Override
    public void close() {
        termination.close();
    }
}
