package io.rocketbufs.rbmq.cli;

import io.rocketbufs.rbmq.client.Message;
import java.io.PrintStream;

/**
 * Writes messages to a stream from a thread of its own: many at once while they come fast, each at once while they come
 * slowly. Whoever adds waits while too much is unwritten.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class MessageOutput implements AutoCloseable {
    private static final int CAPACITY = 1 << 20;
    /** Several times within the shortest sensible heartbeat timeout. */
    private static final long SIGN_OF_LIFE_MS = 200;

    private final PrintStream out;
    private final MessageFormat format;
    private final Runnable onFailure;
    private final Thread writer = new Thread(this::writeAll, "rbmq-output");
    private byte[] filling = new byte[CAPACITY];
    private byte[] writing = new byte[CAPACITY];
    private int filledLength;
    private boolean closed;
    private boolean failed;

    /**
     * Begins to write.
     *
     * @param onFailure called once, on the writing thread, when the stream takes no more
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
     * @param whileWaiting run now and then while there is no room, for the caller may be a worker
     * @return false when that is in vain
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

    /** Takes no more; whoever waits to add goes on. */
    synchronized void end() {
        closed = true;
        notifyAll();
    }

    /** Waits until everything that has been added is written. */
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

    /** Makes what was filled what is to be written; 0 = it is the end. */
    private synchronized int next() {
        while (filledLength == 0 && !closed) {
            if (!await(0)) {
                return 0;
            }
        }
        byte[] full = filling;
        filling = writing;
        writing = full;
        int length = filledLength;
        filledLength = 0;
        notifyAll();
        return length;
    }

    /** For so long at most; 0 = until it is told. */
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
