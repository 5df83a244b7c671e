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

/** A reader of the records in a log's files that needs no broker. */
public final class LoggedRecords {
    private LoggedRecords() {}

    /**
     * Returns the values of a partition's records in offset order, with one character for each byte. The offsets must
     * have no gaps.
     */
    public static List<String> values(Path directory, String partition) {
        return read(directory, partition, new ReadValues(false));
    }

    /** Returns, in offset order, the values of the records before the first damaged batch of each segment. */
    public static List<String> undamagedValues(Path directory, String partition) {
        return read(directory, partition, new ReadValues(true));
    }

    private static List<String> read(Path directory, String partition, ReadValues into) {
        LogInspection inspection = new LogInspection((file, position, buffer, batch) -> into.add(buffer, batch));
        try {
            inspection.inspect(directory.resolve(partition));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return into.values;
    }

    /** The values read so far, and the offset of the next record. */
    private static final class ReadValues {
        private final List<String> values = new ArrayList<>();
        private final boolean mayHaveGaps;
        private long nextOffset;

        private ReadValues(boolean mayHaveGaps) {
            this.mayHaveGaps = mayHaveGaps;
        }

        private void add(ByteBuffer buffer, int batch) {
            long offset = RecordBatchLayout.baseOffset(buffer, batch);
            if (mayHaveGaps ? offset < nextOffset : offset != nextOffset) {
                throw new AssertionError("offset " + offset + " after " + nextOffset + " records");
            }
            ByteBuffer rest = buffer.duplicate()
                    .limit(batch + (int) RecordBatchLayout.length(buffer, batch))
                    .position(batch + RecordBatchLayout.HEADER_LENGTH);
            RecordView record = new RecordView();
            int before = values.size();
            while (rest.hasRemaining() && record.read(rest)) {
                byte[] value = new byte[Math.max(0, record.valueLength())];
                buffer.get(record.valuePosition(), value);
                values.add(new String(value, StandardCharsets.ISO_8859_1));
            }
            nextOffset = offset + values.size() - before;
        }
    }
}
