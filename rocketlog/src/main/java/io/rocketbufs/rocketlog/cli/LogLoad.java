package io.rocketbufs.rocketlog.cli;

import java.util.stream.IntStream;

/**
 * A load: the tasks that a number of clients perform on a dedicated topic.
 *
 * @param kind the tasks of the clients
 * @param topic name of the topic, which must exist and be empty
 * @param partitions number of the topic's partitions
 * @param producers number of producers
 * @param consumers number of consumers
 * @param size length of each record's value in bytes, at least {@link LoadRecordLayout#SHORTEST}
 * @param rate number of records per second that each producer sends; 0 for no limit
 * @param records number of records that the producers send, or the consumers read in each pass; 0 for no limit
 */
record LogLoad(
        Kind kind, String topic, int partitions, int producers, int consumers, int size, int rate, long records) {
    /** Length of the values in the demo, in bytes. */
    static final int DEFAULT_SIZE = 256;

    /** The tasks of the clients of a load. */
    enum Kind {
        /** Producers append records; there are no consumers. */
        PRODUCE,
        /** Each consumer repeatedly reads the same records of all partitions. */
        CONSUME,
        /** Each consumer polls all partitions of an empty topic, without waiting between polls. */
        POLL,
        /** Producers append records, and each partition is read by one consumer. */
        ENDTOEND,
        /** Producers append records, and each consumer reads all partitions. */
        FANOUT;

        /** Returns true if the load has producers. */
        boolean produces() {
            return this == PRODUCE || this == ENDTOEND || this == FANOUT;
        }

        /** Returns true if the load has consumers. */
        boolean consumes() {
            return this != PRODUCE;
        }
    }

    /** Returns a load of kind {@link Kind#ENDTOEND}, with equal numbers of producers, consumers, and partitions. */
    static LogLoad endToEnd(String topic, int clients, int rate) {
        return new LogLoad(Kind.ENDTOEND, topic, clients, clients, clients, DEFAULT_SIZE, rate, 0);
    }

    /** Returns the load that fills the topic with the records that consumers read, for {@link Kind#CONSUME}. */
    LogLoad filling() {
        return new LogLoad(Kind.PRODUCE, topic, partitions, 1, 0, size, 0, records);
    }

    /**
     * Returns the number of records in a partition after one producer has sent all records to the partitions in turn.
     */
    long recordsOf(int partition) {
        return share(records, partition);
    }

    /**
     * Returns how many of the given number of records go to a partition if one producer sends them to the partitions in
     * turn.
     */
    long share(long sent, int partition) {
        return (sent + partitions - 1 - partition) / partitions;
    }

    /** Returns the partitions that a consumer reads. */
    int[] partitionsOf(int consumer) {
        return IntStream.range(0, partitions)
                .filter(partition -> kind != Kind.ENDTOEND || partition % consumers == consumer)
                .toArray();
    }
}
