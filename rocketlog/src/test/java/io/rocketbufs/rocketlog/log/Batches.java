package io.rocketbufs.rocketlog.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rocketbufs.rocketlog.record.BatchBuilder;
import io.rocketbufs.rocketlog.record.RecordBatchLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Batches for tests. */
final class Batches {
    private Batches() {}

    /** Returns a batch without a producer id. Record <i>i</i> has the key <i>i</i> and the given value. */
    static ByteBuffer of(long timestamp, int count, String value) {
        return of(timestamp, count, value, RecordBatchLayout.NO_PRODUCER, -1, -1);
    }

    static ByteBuffer of(long timestamp, int count, String value, long producerId, int epoch, int sequence) {
        ByteBuffer buffer = ByteBuffer.allocate(256 + count * (value.length() * 3 + 32));
        BatchBuilder builder = new BatchBuilder().begin(buffer).producer(producerId, (short) epoch, sequence);
        for (int i = 0; i < count; i++) {
            builder.add(timestamp + i, UTF_8.encode(Integer.toString(i)), UTF_8.encode(value));
        }
        builder.finish();
        return buffer.flip();
    }

    /** Returns all batches of the log, one per element. */
    static List<ByteBuffer> read(PartitionLog log) {
        List<ByteBuffer> batches = new ArrayList<>();
        ByteBuffer target = ByteBuffer.allocate(2000);
        long offset = log.startOffset();
        while (offset < log.nextOffset()) {
            int length = log.read(offset, target.clear());
            if (length <= 0) {
                throw new AssertionError("read(" + offset + ") = " + length + ", next=" + log.nextOffset());
            }
            target.flip();
            int batch = 0;
            while (batch < length) {
                int batchLength = (int) RecordBatchLayout.length(target, batch);
                byte[] bytes = new byte[batchLength];
                target.get(batch, bytes);
                batches.add(ByteBuffer.wrap(bytes));
                offset = RecordBatchLayout.lastOffset(target, batch) + 1;
                batch += batchLength;
            }
        }
        return batches;
    }
}
