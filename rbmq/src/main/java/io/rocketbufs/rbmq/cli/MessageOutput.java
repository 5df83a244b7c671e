package io.rocketbufs.rbmq.cli;

import io.rocketbufs.rbmq.client.Message;
import java.io.PrintStream;
import java.util.concurrent.TimeUnit;

/**
 * An output that writes messages to a stream on its own thread: in batches at high rates and one by one at low rates. A
 * caller that adds a message is blocked while too much data is waiting to be written.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class MessageOutput implements AutoCloseable {
    private static final int CAPACITY = 1 << 20;
    /**
     * The interval in milliseconds at which {@code whileWaiting} runs; a fraction of the shortest reasonable heartbeat
     * timeout.
     */
    private static final long SIGN_OF_LIFE_MS = 200;

    private final PrintStream out;
    private final MessageFormat format;
    private final Runnable onFailure;
    private final Thread writer = new Thread(this::writeAll, "rbmq-output");
    private byte[] filling = new byte[CAPACITY];
    private byte[] writing = new byte[CAPACITY];
    private int filledLength;
    private int writingLength;
    private boolean closed;
    private boolean failed;

    /**
     * Starts the writing thread.
     *
     * @param onFailure called once, on the writing thread, when writing fails
     */
    MessageOutput(PrintStream out, MessageFormat format, Runnable onFailure) {
        this.out = out;
        this.format = format;
        this.onFailure = onFailure;
        writer.setDaemon(true);
        writer.start();
    }

    /**
     * Adds a message.
     *
     * @param whileWaiting runs periodically while there is no space, because the caller may be a worker, which must
     *     send heartbeats
     * @return false if the message will not be written
     */
    synchronized boolean add(Message message, Runnable whileWaiting) {
        int length = format.lengthOf(message);
        while (filledLength > 0 && filledLength + length > filling.length && !failed && !closed) {
            if (!await(SIGN_OF_LIFE_MS)) {
                return false;
            }
            whileWaiting.run();
        }
        if (failed || closed) {
            return false;
        }
        if (length > filling.length) {
            filling = new byte[length];
        }
        format.write(message, filling, filledLength);
        filledLength += length;
        if (filledLength == length) {
            notifyAll();
        }
        return true;
    }

    /**
     * Waits until all added messages are written.
     *
     * @param whileWaiting as for {@link #add}
     * @return false if this thread was interrupted or writing failed
     */
    synchronized boolean awaitWritten(Runnable whileWaiting) {
        long lastSignNs = System.nanoTime();
        while (filledLength + writingLength > 0 && !failed) {
            if (!await(SIGN_OF_LIFE_MS)) {
                return false;
            }
            if (System.nanoTime() - lastSignNs >= TimeUnit.MILLISECONDS.toNanos(SIGN_OF_LIFE_MS)) {
                whileWaiting.run();
                lastSignNs = System.nanoTime();
            }
        }
        return !failed;
    }

    /** Stops accepting messages and wakes callers that are waiting to add a message. */
    synchronized void end() {
        closed = true;
        notifyAll();
    }

    /** Waits until all added messages are written. */
    @Override
    public void close() {
        end();
        boolean interrupted = false;
        while (writer.isAlive()) {
            try {
                writer.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void writeAll() {
        for (int length = next(); length > 0; length = next()) {
            out.write(writing, 0, length);
            if (out.checkError()) {
                fail();
                return;
            }
        }
    }

    private void fail() {
        synchronized (this) {
            failed = true;
            notifyAll();
        }
        onFailure.run();
    }

    /**
     * Waits for messages, swaps the buffers and returns the number of bytes to write, or 0 at the end. Called when the
     * bytes of the previous call have been written.
     */
    private synchronized int next() {
        writingLength = 0;
        notifyAll();
        while (filledLength == 0 && !closed) {
            if (!await(0)) {
                return 0;
            }
        }
        byte[] full = filling;
        filling = writing;
        writing = full;
        writingLength = filledLength;
        filledLength = 0;
        notifyAll();
        return writingLength;
    }

    /**
     * Waits for a notification for at most {@code timeoutMs}, or without a limit if it is 0. Returns false if
     * interrupted.
     */
    private boolean await(long timeoutMs) {
        try {
            wait(timeoutMs);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
