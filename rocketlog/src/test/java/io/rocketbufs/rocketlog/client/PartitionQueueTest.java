package io.rocketbufs.rocketlog.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rocketlog.record.RecordBatchLayout;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

final class PartitionQueueTest {
    private final PartitionQueue queue = new PartitionQueue(0, 7);

    private void add() {
        if (queue.add(1, null, ByteBuffer.allocate(10)) < 0) {
            queue.open(new ProducerBatch(200));
            assertThat(queue.add(1, null, ByteBuffer.allocate(10))).isNotNegative();
        }
    }

    private void addBatch() {
        queue.close();
        add();
        queue.close();
    }

    private ProducerBatch send() {
        ProducerBatch batch = queue.nextToSend();
        assertThat(batch).isNotNull();
        queue.sent();
        return batch;
    }

    @Test
    void shouldSendRecordsAtOnceUntilTwoBatchesAreUnderWay() {
        add();
        assertThat(send().count).isOne();
        add();
        assertThat(send().count).isOne();
        add();
        add();
        add();
        assertThat(queue.nextToSend()).isNull();
        queue.answered();
        queue.removeOldest();
        ProducerBatch gathered = send();
        assertThat(gathered.count).isEqualTo(3);
        assertThat(gathered.firstNumber).isEqualTo(2);
        assertThat(RecordBatchLayout.baseSequence(gathered.memory, 0)).isEqualTo(2);
        assertThat(RecordBatchLayout.producerId(gathered.memory, 0)).isEqualTo(7);
    }

    @Test
    void shouldHaveAtMostAsManyBatchesUnderWayAsTheLogRemembers() {
        for (int i = 0; i < 7; i++) {
            addBatch();
        }
        for (int i = 0; i < 5; i++) {
            send();
        }
        assertThat(queue.nextToSend()).isNull();
        queue.answered();
        queue.removeOldest();
        assertThat(send().firstNumber).isEqualTo(5);
    }

    @Test
    void shouldSendEverythingWithoutAResultAgainInOrder() {
        for (int i = 0; i < 4; i++) {
            addBatch();
        }
        send();
        send();
        send();
        queue.answered();
        queue.removeOldest();
        queue.pause();
        assertThat(queue.nextToSend()).isNull();
        queue.resume();
        assertThat(send().firstNumber).isEqualTo(1);
        assertThat(send().firstNumber).isEqualTo(2);
        assertThat(send().firstNumber).isEqualTo(3);
        assertThat(queue.nextToSend()).isNull();
    }

    @Test
    void shouldRefuseARecordThatDoesNotFit() {
        assertThat(queue.add(1, null, null)).isNegative();
        queue.open(new ProducerBatch(200));
        assertThat(queue.add(1, null, ByteBuffer.allocate(150))).isNegative();
        assertThat(queue.add(1, null, ByteBuffer.allocate(100))).isZero();
    }
}
