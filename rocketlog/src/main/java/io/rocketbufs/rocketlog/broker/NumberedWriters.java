package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.rocketlog.broker.WrittenBatches.Writer;
import java.util.Arrays;

/**
 * The writers of a log's head, by number. When a writer is removed, its number can be reused.
 *
 * <p><i>Thread-safety:</i> any thread may add and remove writers. The appending thread looks up a writer only after
 * that writer's first batch, which publishes the writer to this thread.
 */
final class NumberedWriters {
    /** Maximum number of concurrent writers, small enough to leave orders for each of them. */
    static final int MOST = 1024;

    private static final Writer[] NONE = {};

    /** The writers by number; null where a number is free. Changed under this object's lock. */
    private volatile Writer[] writers = NONE;

    /** Adds a writer, and returns its number, or -1 if there are too many writers. */
    synchronized int add(Writer writer) {
        Writer[] present = writers;
        int number = 0;
        while (number < present.length && present[number] != null) {
            number++;
        }
        if (number == MOST) {
            return -1;
        }
        if (number == present.length) {
            present = Arrays.copyOf(present, present.length + 1);
        }
        present[number] = writer;
        writers = present;
        return number;
    }

    /** Removes a writer that has finished writing and has received all its results. */
    synchronized void remove(int number) {
        writers[number] = null;
    }

    /** Returns the writer with the given number. */
    Writer get(int number) {
        return writers[number];
    }
}
