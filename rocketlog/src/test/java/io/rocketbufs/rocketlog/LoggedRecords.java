package io.rocketbufs.rocketlog;

import io.rocketbufs.rocketlog.log.LogInspection;
import io.rocketbufs.rocketlog.record.RecordBatchLayout;
import io.rocketbufs.rocketlog.record.RecordView;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The records in the files of a log, read without a broker. */
public final class LoggedRecords {
    private LoggedRecords() {}

    /**
     * Returns the values of a partition's records, one character for each byte, in the order of their offsets, which
     * must have no gap.
     */
    public static List<String> values(Path directory, String partition) {
        List<String> values = new ArrayList<>();
        LogInspection inspection = new LogInspection((file, position, buffer, batch) -> add(buffer, batch, values));
        try {
            inspection.inspect(directory.resolve(partition));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return values;
    }

    private static void add(ByteBuffer buffer, int batch, List<String> values) {
        if (RecordBatchLayout.baseOffset(buffer, batch) != values.size()) {
            throw new AssertionError(
                    "offset " + RecordBatchLayout.baseOffset(buffer, batch) + " after " + values.size() + " records");
        }
        ByteBuffer rest = buffer.duplicate()
                .limit(batch + (int) RecordBatchLayout.length(buffer, batch))
                .position(batch + RecordBatchLayout.HEADER_LENGTH);
        RecordView record = new RecordView();
        while (rest.hasRemaining() && record.read(rest)) {
            byte[] value = new byte[Math.max(0, record.valueLength())];
            buffer.get(record.valuePosition(), value);
            values.add(new String(value, StandardCharsets.ISO_8859_1));
        }
    }
}
