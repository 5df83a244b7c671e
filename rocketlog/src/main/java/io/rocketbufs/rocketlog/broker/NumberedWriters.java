package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.rocketlog.broker.WrittenBatches.Writer;
import java.util.Arrays;

/**
 * The writers of a log's head, by number. A number is reused after its writer has been removed.
 *
 * <p><i>Thread-safety:</i> any thread adds and removes writers. A writer's first batch publishes it to the thread that
 * appends, which looks it up.
 */
final class NumberedWriters {
    /** Maximum number of concurrent writers, chosen so that each of them can have some orders. */
    static final int MOST = 1024;

    private static final Writer[] NONE = {};

    /** The writers by number; null where there is none. Changed under this object's lock. */
    private volatile Writer[] writers = NONE;

    /** Adds a writer, and returns its number; -1 if there are too many. */
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

    /** Returns the writer with a number. */
    Writer get(int number) {
        return writers[number];
    }
}
