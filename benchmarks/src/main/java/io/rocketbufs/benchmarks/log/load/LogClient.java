package io.rocketbufs.benchmarks.log.load;

import java.io.Closeable;
import java.io.IOException;

/**
 * The client library of one log, as used by a workload.
 *
 * <p><b>Thread-safety:</b> any thread may use a client; each producer or consumer is confined to one thread.
 */
interface LogClient extends Closeable {
    /**
     * Memory in bytes of a producer for unacknowledged records if every record is a separate batch. The memory has
     * space for the records of many round trips, but is small enough that a measurement does not wait long for
     * acknowledgements at its end.
     */
    int UNBATCHED_MEMORY = 8 << 20;

    /** Creates a topic unless it already exists. Logs without partitions ignore the number of partitions. */
    void create(String topic, int partitions) throws IOException, InterruptedException;

    /**
     * Opens a producer that waits for the broker's acknowledgements.
     *
     * @param batch length of a batch in bytes; 0 if every record is a separate batch
     * @param size length of the records
     */
    Producer producer(String topic, int batch, int size, Acknowledgements acknowledgements) throws IOException;

    /**
     * Opens a consumer of a topic with one partition.
     *
     * @param fetch maximum number of bytes that the consumer reads with one fetch
     * @param size length of the records
     * @param start the record at which the consumer starts
     */
    Consumer consumer(String topic, int fetch, int size, Start start) throws IOException;

    /**
     * Returns a counter that increases by the number of records appended to all partitions of a topic. It starts at 0,
     * except for topics in memory.
     */
    long count(String topic, int partitions) throws IOException;

    /**
     * Returns the number of records in a topic with one partition. Producers that fill the topic do not overwrite any
     * records.
     */
    default long present(String topic) throws IOException {
        return count(topic, 1);
    }

    /** Frees the space of a topic unless the log limits this space while records are appended. */
    default void release(String topic) throws IOException, InterruptedException {}

    /** Closes the client and all its producers and consumers. */
    @Override
    void close();

    /** The record at which a consumer starts. */
    enum Start {
        /** The oldest record. */
        EARLIEST,
        /** The first record appended after the consumer has been opened. */
        LATEST,
        /** Like {@link #LATEST}, but the broker answers a poll immediately, even if there are no records. */
        LATEST_WITHOUT_WAITING
    }

    /** A producer. */
    interface Producer extends Closeable {
        /** Sends a record, whose bytes are copied. Waits while too many records are unacknowledged. */
        void send(int partition, byte[] value) throws IOException, InterruptedException;

        /** Waits until every record has been acknowledged or has failed. */
        void flush() throws IOException;

        @Override
        void close();
    }

    /** A consumer. */
    interface Consumer extends Closeable {
        /**
         * Waits for records until the timeout, and passes all records that have arrived to the check.
         *
         * @return the number of records
         */
        int poll(long timeoutMs, RecordCheck check) throws IOException;

        /**
         * Returns the timeout in ms for a poll that finds no records. It must be greater than 0 for a library whose
         * poll would otherwise return before the broker has answered.
         */
        default long emptyPollTimeoutMs() {
            return 0;
        }

        /** Returns the number of times that this consumer has requested records from the broker. */
        long polls();

        @Override
        void close();
    }
}
