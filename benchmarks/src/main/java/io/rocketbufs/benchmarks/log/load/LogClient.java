package io.rocketbufs.benchmarks.log.load;

import java.io.Closeable;
import java.io.IOException;

/**
 * The client library of one log, as a workload uses it.
 *
 * <p><b>Thread-safety:</b> any thread; a producer or consumer is used by one thread.
 */
interface LogClient extends Closeable {
    /**
     * Memory of a producer for unacknowledged records if every record is a batch of its own, in bytes. It holds the
     * records of many round trips, and a measurement does not have to wait long for their acknowledgements at its end.
     */
    int UNBATCHED_MEMORY = 8 << 20;

    /** Creates a topic, unless it exists. Logs without partitions ignore their number. */
    void create(String topic, int partitions) throws IOException, InterruptedException;

    /**
     * Opens a producer that waits for the broker's acknowledgements.
     *
     * @param batch length of a batch in bytes; 0 if every record is a batch of its own
     * @param size length of the records
     */
    Producer producer(String topic, int batch, int size, Acknowledgements acknowledgements) throws IOException;

    /**
     * Opens a consumer of a topic with one partition.
     *
     * @param fetch number of bytes that it reads at once, at most
     * @param size length of the records
     * @param start where it begins
     */
    Consumer consumer(String topic, int fetch, int size, Start start) throws IOException;

    /** Returns the number of records that were appended to all partitions of a topic since it was created. */
    long count(String topic, int partitions) throws IOException;

    /** Frees the space of a topic, unless the log itself limits this space while records are appended. */
    default void release(String topic) throws IOException, InterruptedException {}

    /** Closes the client, and all its producers and consumers. */
    @Override
    void close();

    /** Where a consumer begins. */
    enum Start {
        /** With the oldest record. */
        EARLIEST,
        /** With the first record that is appended afterwards. */
        LATEST,
        /** As {@link #LATEST}; and the broker answers a poll at once, even if there is no record. */
        LATEST_WITHOUT_WAITING
    }

    /** A producer. */
    interface Producer extends Closeable {
        /** Sends a record, whose bytes are copied. Waits while too many records are not acknowledged. */
        void send(int partition, byte[] value) throws IOException, InterruptedException;

        /** Waits until every record has been acknowledged or has failed. */
        void flush() throws IOException;

        @Override
        void close();
    }

    /** A consumer. */
    interface Consumer extends Closeable {
        /**
         * Waits for records until the timeout, and passes those that have arrived to the check.
         *
         * @return the number of records
         */
        int poll(long timeoutMs, RecordCheck check) throws IOException;

        /**
         * Returns the timeout of a poll that finds nothing. A library that returns before the broker has answered needs
         * more than 0.
         */
        default long emptyPollTimeoutMs() {
            return 0;
        }

        /** Returns the number of times that it has asked the broker for records. */
        long polls();

        @Override
        void close();
    }
}
