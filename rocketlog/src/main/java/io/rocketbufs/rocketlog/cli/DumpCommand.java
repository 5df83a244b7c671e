package io.rocketbufs.rocketlog.cli;

import io.rocketbufs.cli.Streams;
import io.rocketbufs.json.Json;
import io.rocketbufs.rocketlog.log.LogInspection;
import io.rocketbufs.rocketlog.record.RecordBatchLayout;
import io.rocketbufs.rocketlog.record.RecordView;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command {@code rocketlog dump}, which prints the batches and the indexes of log files. */
@Command(
        name = "dump",
        description = {
            "Prints the valid batches of log files, one per line, and changes nothing.",
            "Exits with 1 if a file is damaged."
        },
        footer = {
            "",
            "Examples:",
            "  rocketlog dump data/orders-0",
            "  rocketlog dump --records data/orders-0/00000000000000000000.log",
            "  rocketlog dump --index --json data/orders-0"
        })
final class DumpCommand extends InspectCommand implements Callable<Integer> {
    private Path current;

    @Option(names = "--records", description = "Also prints the records of uncompressed batches.")
    boolean records;

    @Option(
            names = "--index",
            description = "Also prints the entries of the indexes by offset and by time. A segment has index files once"
                    + " it is complete.")
    boolean index;

    @Option(names = "--json", description = "Prints one JSON object per batch and per entry of an index.")
    boolean json;

    DumpCommand(Streams streams) {
        super(streams);
    }

    @Override
    public Integer call() throws IOException {
        LogInspection inspection = inspect(new Printer(), true);
        return exitCode(inspection);
    }

    /** Prints the batches and the entries of the indexes. */
    private final class Printer implements LogInspection.Visitor {
        @Override
        public void onBatch(Path file, long position, ByteBuffer buffer, int batch) {
            Map<String, Object> fields = fields(position, buffer, batch);
            List<Map<String, Object>> contents = records ? recordsOf(buffer, batch) : List.of();
            if (json && records) {
                fields.put("records", contents);
            }
            print(file, fields);
            if (!json) {
                contents.forEach(each -> streams.tell("    " + line(each)));
            }
        }

        @Override
        public void onOffsetEntry(Path file, long offset, long position) {
            if (index) {
                Map<String, Object> fields = new LinkedHashMap<>();
                fields.put("offset", offset);
                fields.put("position", position);
                print(file, fields);
            }
        }

        @Override
        public void onTimeEntry(Path file, long timestamp, long offset) {
            if (index) {
                Map<String, Object> fields = new LinkedHashMap<>();
                fields.put("timestamp", timestamp);
                fields.put("offset", offset);
                print(file, fields);
            }
        }
    }

    private void print(Path file, Map<String, Object> fields) {
        if (json) {
            fields.put("file", file.toString());
            streams.tell(Json.of(fields));
            return;
        }
        if (!file.equals(current)) {
            current = file;
            streams.tell(file.toString());
        }
        streams.tell("  " + line(fields));
    }

    private static Map<String, Object> fields(long position, ByteBuffer buffer, int batch) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("position", position);
        fields.put("length", RecordBatchLayout.length(buffer, batch));
        fields.put("base_offset", RecordBatchLayout.baseOffset(buffer, batch));
        fields.put("last_offset", RecordBatchLayout.lastOffset(buffer, batch));
        fields.put("count", RecordBatchLayout.count(buffer, batch));
        fields.put("leader_epoch", RecordBatchLayout.leaderEpoch(buffer, batch));
        fields.put("attributes", RecordBatchLayout.attributes(buffer, batch));
        fields.put("largest_timestamp", RecordBatchLayout.largestTimestamp(buffer, batch));
        fields.put("producer_id", RecordBatchLayout.producerId(buffer, batch));
        fields.put("producer_epoch", RecordBatchLayout.producerEpoch(buffer, batch));
        fields.put("base_sequence", RecordBatchLayout.baseSequence(buffer, batch));
        fields.put("crc", RecordBatchLayout.crc(buffer, batch) & 0xFFFFFFFFL);
        return fields;
    }

    private static String line(Map<String, Object> fields) {
        StringBuilder line = new StringBuilder();
        fields.forEach((name, value) -> line.append(line.isEmpty() ? "" : " ")
                .append(name)
                .append('=')
                // Strings are quoted, because their bytes may contain terminal control characters.
                .append(value instanceof String text ? Json.of(text) : value));
        return line.toString();
    }

    private static List<Map<String, Object>> recordsOf(ByteBuffer buffer, int batch) {
        List<Map<String, Object>> result = new ArrayList<>();
        if ((RecordBatchLayout.attributes(buffer, batch) & RecordBatchLayout.COMPRESSION) != 0) {
            return result;
        }
        ByteBuffer rest = buffer.duplicate()
                .limit(batch + (int) RecordBatchLayout.length(buffer, batch))
                .position(batch + RecordBatchLayout.HEADER_LENGTH);
        RecordView record = new RecordView();
        while (record.read(rest)) {
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("offset", RecordBatchLayout.baseOffset(buffer, batch) + record.offsetDelta());
            fields.put("timestamp", RecordBatchLayout.baseTimestamp(buffer, batch) + record.timestampDelta());
            fields.put("key", text(buffer, record.keyPosition(), record.keyLength()));
            fields.put("value", text(buffer, record.valuePosition(), record.valueLength()));
            result.add(fields);
        }
        return result;
    }

    private static String text(ByteBuffer buffer, int position, int length) {
        if (length < 0) {
            return null;
        }
        byte[] bytes = new byte[length];
        buffer.get(position, bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
