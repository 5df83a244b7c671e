package io.rocketbufs.benchmarks.log.load;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The options of the load program.
 *
 * @param workload kind of work
 * @param topic the topic; other programs that use it may have created it
 * @param size length of a record in bytes
 * @param batch length of a batch in bytes; 0 if every record is a batch of its own
 * @param fetch number of bytes that a consumer reads at once, at most
 * @param records number of records in the topic, for {@link Workload#CONSUME}
 * @param recordBatch length of the batches in which they were sent
 * @param clients number of clients, each with a thread
 */
public record LoadOptions(
        Workload workload, String topic, int size, int batch, int fetch, int records, int recordBatch, int clients) {
    /** Length that every log keeps of each topic, so that a fast one does not fill the disk. */
    public static final int RETENTION_LENGTH = 512 << 20;

    /** Returns the options as arguments of the command line: NAME=VALUE. */
    public List<String> arguments() {
        return List.of(
                "workload=" + workload.name(),
                "topic=" + topic,
                "size=" + size,
                "batch=" + batch,
                "fetch=" + fetch,
                "records=" + records,
                "record-batch=" + recordBatch,
                "clients=" + clients);
    }

    /** Returns the options that such arguments describe. */
    static LoadOptions of(Stream<String> arguments) {
        Map<String, String> map =
                arguments.map(each -> each.split("=", 2)).collect(Collectors.toMap(each -> each[0], each -> each[1]));
        return new LoadOptions(
                Workload.valueOf(map.get("workload")),
                map.get("topic"),
                Integer.parseInt(map.get("size")),
                Integer.parseInt(map.get("batch")),
                Integer.parseInt(map.get("fetch")),
                Integer.parseInt(map.get("records")),
                Integer.parseInt(map.get("record-batch")),
                Integer.parseInt(map.get("clients")));
    }
}
