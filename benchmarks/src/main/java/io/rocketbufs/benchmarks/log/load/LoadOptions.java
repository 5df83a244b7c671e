package io.rocketbufs.benchmarks.log.load;

import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The options of one measurement with the load program.
 *
 * @param workload the kind of work
 * @param topic name of the topic, which earlier measurements may have created
 * @param partitions number of the topic's partitions, which producers use in round-robin order
 * @param size length of a record in bytes
 * @param batch length of a batch in bytes; 0 if every record is a separate batch
 * @param fetch maximum number of bytes that a consumer reads with one fetch
 * @param records number of records in the topic, for {@link Workload#CONSUME}
 * @param recordBatch length in bytes of the batches in which these records were sent
 * @param clients number of clients, each with its own thread
 * @param rate records per second that each producer sends; 0 for as many as possible
 */
public record LoadOptions(
        Workload workload,
        String topic,
        int partitions,
        int size,
        int batch,
        int fetch,
        int records,
        int recordBatch,
        int clients,
        int rate) {
    /**
     * Number of bytes that every log retains across all partitions of a topic, so that a fast log does not fill the
     * disk.
     */
    public static final int RETENTION_LENGTH = 512 << 20;

    /** Returns the options as one line of NAME=VALUE pairs separated by spaces. */
    public String line() {
        return String.join(
                " ",
                "workload=" + workload.name(),
                "topic=" + topic,
                "partitions=" + partitions,
                "size=" + size,
                "batch=" + batch,
                "fetch=" + fetch,
                "records=" + records,
                "record-batch=" + recordBatch,
                "clients=" + clients,
                "rate=" + rate);
    }

    /** Parses the options from a line returned by {@link #line}. */
    static LoadOptions of(String line) {
        Map<String, String> map = Stream.of(line.split(" "))
                .map(each -> each.split("=", 2))
                .collect(Collectors.toMap(each -> each[0], each -> each[1]));
        return new LoadOptions(
                Workload.valueOf(map.get("workload")),
                map.get("topic"),
                Integer.parseInt(map.get("partitions")),
                Integer.parseInt(map.get("size")),
                Integer.parseInt(map.get("batch")),
                Integer.parseInt(map.get("fetch")),
                Integer.parseInt(map.get("records")),
                Integer.parseInt(map.get("record-batch")),
                Integer.parseInt(map.get("clients")),
                Integer.parseInt(map.get("rate")));
    }
}
