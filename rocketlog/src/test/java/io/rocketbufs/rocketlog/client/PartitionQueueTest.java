package io.rocketbufs.rocketlog.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rocketlog.record.RecordBatchLayout;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

final class PartitionQueueTest {
    private final PartitionQueue queue = new PartitionQueue(0, 7, 5);

    private void add() {
        if (queue.add(1, null, ByteBuffer.allocate(10)) < 0) {
            queue.open(new ProducerBatch(200), 1000);
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

    private void accept() {
        queue.answered();
        queue.accepted();
    }

    private void sendAndAcceptABatch() {
        addBatch();
        send();
        accept();
    }

    @Test
    void shouldSendRecordsAtOnceUntilTwoBatchesAreUnderWay() {
        sendAndAcceptABatch();
        add();
        assertThat(send().count).isOne();
        add();
        assertThat(send().count).isOne();
        add();
        add();
        add();
        assertThat(queue.nextToSend()).isNull();
        accept();
        ProducerBatch gathered = send();
        assertThat(gathered.count).isEqualTo(3);
        assertThat(gathered.firstNumber).isEqualTo(3);
        assertThat(RecordBatchLayout.baseSequence(gathered.memory, 0)).isEqualTo(3);
        assertThat(RecordBatchLayout.producerId(gathered.memory, 0)).isEqualTo(7);
    }

    @Test
    void shouldHaveAtMostTheGivenNumberOfBatchesUnderWay() {
        sendAndAcceptABatch();
        for (int i = 0; i < 7; i++) {
            addBatch();
        }
        for (int i = 0; i < 5; i++) {
            send();
        }
        assertThat(queue.nextToSend()).isNull();
        accept();
        assertThat(send().firstNumber).isEqualTo(6);
    }

    @Test
    void shouldSendEverythingWithoutAResultAgainInOrder() {
        for (int i = 0; i < 5; i++) {
            addBatch();
        }
        send();
        accept();
        send();
        send();
        send();
        accept();
        queue.pause();
        assertThat(queue.nextToSend()).isNull();
        queue.resume();
        assertThat(send().firstNumber).isEqualTo(2);
        accept();
        assertThat(send().firstNumber).isEqualTo(3);
        assertThat(send().firstNumber).isEqualTo(4);
        assertThat(queue.nextToSend()).isNull();
    }

    @Test
    void shouldSendOneBatchUntilTheLogKnowsTheProducer() {
        addBatch();
        addBatch();
        addBatch();
        send();
        assertThat(queue.nextToSend()).isNull();
        queue.answered(); // the disk was full; the next batch must not become the first one in the log
        queue.pause();
        queue.resume();
        assertThat(send().firstNumber).isZero();
        assertThat(queue.nextToSend()).isNull();
        accept();
        assertThat(send().firstNumber).isEqualTo(1);
        assertThat(send().firstNumber).isEqualTo(2);
    }

    @Test
    void shouldRefuseARecordThatDoesNotFit() {
        assertThat(queue.add(1, null, null)).isNegative();
        queue.open(new ProducerBatch(200), 1000);
        assertThat(queue.add(1, null, ByteBuffer.allocate(150))).isNegative();
        assertThat(queue.add(1, null, ByteBuffer.allocate(100))).isZero();
    }

    @Test
    void shouldNotFillABatchBeyondTheLongestOne() {
        queue.open(new ProducerBatch(1000), 200);
        assertThat(queue.add(1, null, ByteBuffer.allocate(150))).isNegative();
        assertThat(queue.add(1, null, ByteBuffer.allocate(100))).isZero();
    }
}
