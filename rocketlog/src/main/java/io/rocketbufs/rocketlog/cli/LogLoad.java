package io.rocketbufs.rocketlog.cli;

import java.util.stream.IntStream;

/**
 * A load: what a number of clients do with a topic of their own.
 *
 * @param kind what they do
 * @param topic the topic, which exists and has no records
 * @param partitions number of its partitions
 * @param producers number of producers
 * @param consumers number of consumers
 * @param size length of the value of each record, at least {@link LoadRecordLayout#SHORTEST}
 * @param rate records per second of each producer; 0 for no limit
 * @param records number of records that the producers send, or the consumers read in each pass; 0 for no limit
 */
record LogLoad(
        Kind kind, String topic, int partitions, int producers, int consumers, int size, int rate, long records) {
    /** Length of the values of the demo's records. */
    static final int DEFAULT_SIZE = 256;

    /** The tasks of the clients of a load. */
    enum Kind {
        /** Producers append; there are no consumers. */
        PRODUCE,
        /** Consumers read the same records again and again, each of them all partitions. */
        CONSUME,
        /** Consumers look for records in all partitions of an empty topic, without waiting. */
        POLL,
        /** Producers append, and each partition has one of the consumers. */
        ENDTOEND,
        /** Producers append, and each consumer reads all partitions. */
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

    /** Returns a load from end to end, with as many producers and partitions as consumers. */
    static LogLoad endToEnd(String topic, int clients, int rate) {
        return new LogLoad(Kind.ENDTOEND, topic, clients, clients, clients, DEFAULT_SIZE, rate, 0);
    }

    /** Returns the load that fills the topic with this number of records, for {@link Kind#CONSUME}. */
    LogLoad filling() {
        return new LogLoad(Kind.PRODUCE, topic, partitions, 1, 0, size, 0, records);
    }

    /** Returns how many of the records that one producer sends to all partitions in turn are in a partition. */
    long recordsOf(int partition) {
        return share(records, partition);
    }

    /** Returns how many of this number of records, of one producer, go to a partition if they go to each in turn. */
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
