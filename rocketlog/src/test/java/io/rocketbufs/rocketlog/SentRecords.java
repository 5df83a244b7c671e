package io.rocketbufs.rocketlog;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rocketbufs.rocketlog.client.LogProducer;
import java.nio.ByteBuffer;

/** A sender that tests use for records without keys. */
public final class SentRecords {
    private SentRecords() {}

    /**
     * Sends a record. If there is no space for the record, waits for space.
     *
     * @throws io.rocketbufs.rocketlog.client.LogClientException if the producer has failed or is closed
     */
    public static void send(LogProducer producer, int partition, String value) {
        ByteBuffer bytes = ByteBuffer.wrap(value.getBytes(UTF_8));
        long result = producer.send(partition, null, bytes);
        while (result == LogProducer.NO_SPACE) {
            producer.awaitSpace();
            result = producer.send(partition, null, bytes);
        }
        if (result == LogProducer.CLOSED) {
            throw producer.failure();
        }
    }
}
