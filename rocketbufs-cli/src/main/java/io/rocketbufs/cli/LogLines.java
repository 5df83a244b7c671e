package io.rocketbufs.cli;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/**
 * A queue of lines for an output that may block, such as a pipe that is not read. If the queue is full, new lines are
 * dropped. The number of dropped lines is written once the output accepts lines again.
 *
 * <p><b>Thread-safety:</b> any thread may call the methods. Only the queue's own thread, {@code log}, waits for the
 * output. That thread starts when the first line is added.
 */
final class LogLines {
    private final Consumer<String> out;
    private final int capacity;
    private final IntFunction<String> droppedNote;
    private final Queue<String> waiting = new ArrayDeque<>();
    private int dropped;
    private boolean started;
    private boolean writing;

    /**
     * Creates an empty queue.
     *
     * @param out writes lines, and may block
     * @param capacity maximum number of waiting lines
     * @param droppedNote creates the line that reports the number of dropped lines
     */
    LogLines(Consumer<String> out, int capacity, IntFunction<String> droppedNote) {
        this.out = out;
        this.capacity = capacity;
        this.droppedNote = droppedNote;
    }

    /** Adds a line, or drops it if there is no room. Does not block. */
    synchronized void add(String line) {
        if (waiting.size() == capacity) {
            dropped++;
            return;
        }
        waiting.add(line);
        notifyAll();
        if (!started) {
            started = true;
            Thread writer = new Thread(this::write, "log");
            writer.setDaemon(true);
            writer.start();
        }
    }

    /**
     * Waits until all lines have been written. Returns false after {@code timeoutMs}, or if the thread is interrupted.
     */
    synchronized boolean flush(long timeoutMs) {
        long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        try {
            while (writing || !waiting.isEmpty()) {
                long leftNs = endNs - System.nanoTime();
                if (leftNs <= 0) {
                    return false;
                }
                TimeUnit.NANOSECONDS.timedWait(this, leftNs);
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void write() {
        try {
            while (true) {
                out.accept(next());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Removes and returns all waiting lines. Lines are dropped only when the queue is full, so the note about dropped
     * lines comes last.
     */
    private synchronized String next() throws InterruptedException {
        writing = false;
        notifyAll();
        while (waiting.isEmpty()) {
            wait();
        }
        writing = true;
        String lines = String.join("", waiting) + (dropped == 0 ? "" : droppedNote.apply(dropped));
        waiting.clear();
        dropped = 0;
        return lines;
    }
}
