package io.rocketbufs.benchmarks.log.load;

import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The options of one measurement with the load program.
 *
 * @param workload kind of work
 * @param topic the topic; earlier measurements may have created it
 * @param partitions number of the topic's partitions; producers use them in turn
 * @param size length of a record in bytes
 * @param batch length of a batch in bytes; 0 if every record is a batch of its own
 * @param fetch number of bytes that a consumer reads at once, at most
 * @param records number of records in the topic, for {@link Workload#CONSUME}
 * @param recordBatch length of the batches in which they were sent
 * @param clients number of clients, each with a thread
 * @param rate records that each producer sends in a second; 0 means as many as possible
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
    /** Length that every log keeps of all partitions of a topic, so that a fast one does not fill the disk. */
    public static final int RETENTION_LENGTH = 512 << 20;

    /** Returns the options as one line: NAME=VALUE, separated by spaces. */
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

    /** Returns the options that such a line describes. */
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
