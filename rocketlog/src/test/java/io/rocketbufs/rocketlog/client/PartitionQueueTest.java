package io.rocketbufs.rocketlog.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rocketlog.record.RecordBatchLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class PartitionQueueTest {
    private static final long LINGER_NS = 1_000_000_000;

    private PartitionQueue queue = new PartitionQueue(0, 7, 5, 0);

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
    void shouldSendABatchThatHasLingeredLongEnough() {
        queue = new PartitionQueue(0, 7, 5, LINGER_NS);
        long beganNs = System.nanoTime();
        add();
        add();
        assertThat(queue.nextToSend()).isNull();
        assertThat(queue.remainingLingerNs(beganNs)).isGreaterThanOrEqualTo(LINGER_NS);
        assertThat(queue.remainingLingerNs(System.nanoTime() + LINGER_NS)).isNotPositive();
        assertThat(queue.nextToSend()).isNull();
        queue.endLinger();
        assertThat(send().count).isEqualTo(2);
        add();
        assertThat(queue.lingers()).isTrue();
    }

    @Test
    void shouldSendAFullBatchThatHasNotLingeredLongEnough() {
        queue = new PartitionQueue(0, 7, 5, LINGER_NS);
        addBatch();
        assertThat(send().count).isOne();
        accept();
        addBatch();
        add();
        assertThat(send().count).isOne();
        assertThat(queue.nextToSend()).isNull();
        queue.endLinger();
        assertThat(send().count).isOne();
    }

    @Test
    void shouldSendABatchThatARecordFills() {
        queue = new PartitionQueue(0, 7, 5, LINGER_NS);
        queue.open(new ProducerBatch(200), 1000);
        assertThat(queue.add(1, null, ByteBuffer.allocate(100))).isZero();
        assertThat(queue.nextToSend()).isNull();
        assertThat(queue.add(1, null, ByteBuffer.allocate(23))).isOne();
        assertThat(send().count).isEqualTo(2);
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
    void shouldResendEverythingWithoutAResultInOrder() {
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
        queue.answered(); // refused because the disk was full; the next batch must not become the first in the log
        queue.pause();
        queue.resume();
        assertThat(send().firstNumber).isZero();
        assertThat(queue.nextToSend()).isNull();
        accept();
        assertThat(send().firstNumber).isEqualTo(1);
        assertThat(send().firstNumber).isEqualTo(2);
    }

    /**
     * Sends the given number of batches after the log has accepted a first batch. The record numbers of these batches
     * start with 1.
     */
    private List<ProducerBatch> sendBatches(int count) {
        sendAndAcceptABatch();
        List<ProducerBatch> sent = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            addBatch();
            sent.add(send());
        }
        return sent;
    }

    private void assertSendsInOrder(List<ProducerBatch> expected) {
        for (ProducerBatch each : expected) {
            assertThat(send()).isSameAs(each);
            assertThat(each.wasSent).isTrue();
        }
    }

    @Test
    void shouldResendAllBatchesAsNewOnesWhenNoneHasLeft() {
        List<ProducerBatch> sent = sendBatches(3);
        addBatch();
        queue.unsend(3);
        assertThat(queue.isUnderWay()).isFalse();
        assertThat(sent).noneMatch(batch -> batch.wasSent);
        assertSendsInOrder(sent);
        assertThat(send().firstNumber).isEqualTo(4);
    }

    @Test
    void shouldResendOnlyTheLastBatchesWhenTheFirstOnesHaveLeft() {
        List<ProducerBatch> sent = sendBatches(4);
        queue.unsend(2);
        assertThat(queue.isUnderWay()).isTrue();
        assertThat(sent).extracting(batch -> batch.wasSent).containsExactly(true, true, false, false);
        accept();
        assertSendsInOrder(sent.subList(2, 4));
        add();
        assertThat(queue.nextToSend()).isNull(); // three batches are in flight
        accept();
        accept();
        assertThat(send().firstNumber).isEqualTo(5);
        accept();
        accept();
        assertThat(queue.isUnderWay()).isFalse();
    }

    @Test
    void shouldKeepTheOrderWhenTheSameBatchesAreReturnedTwice() {
        List<ProducerBatch> sent = sendBatches(3);
        queue.unsend(1);
        queue.unsend(1);
        assertThat(sent).extracting(batch -> batch.wasSent).containsExactly(true, false, false);
        assertSendsInOrder(sent.subList(1, 3));
        queue.unsend(2);
        assertSendsInOrder(sent.subList(1, 3));
    }

    @Test
    void shouldResendEverythingInOrderWhenBatchesAreReturnedWhileItIsPaused() {
        List<ProducerBatch> sent = sendBatches(4);
        queue.pause();
        queue.unsend(2);
        assertThat(queue.nextToSend()).isNull();
        queue.answered();
        assertThat(queue.isUnderWay()).isTrue();
        queue.answered();
        assertThat(queue.isUnderWay()).isFalse(); // no further results will arrive
        queue.resume();
        assertThat(send()).isSameAs(sent.get(0));
        accept();
        assertSendsInOrder(sent.subList(1, 4));
    }

    @Test
    void shouldSendOneBatchUntilTheLogKnowsTheProducerAfterItWasReturned() {
        addBatch();
        addBatch();
        ProducerBatch first = send();
        queue.unsend(1);
        assertThat(first.wasSent).isFalse();
        assertThat(send()).isSameAs(first);
        assertThat(queue.nextToSend()).isNull();
        accept();
        assertThat(send().firstNumber).isEqualTo(1);
    }

    @Test
    void shouldSendOneBatchWhenOthersAreReturnedAfterTheLogForgotTheProducer() {
        List<ProducerBatch> sent = sendBatches(3);
        queue.pause();
        queue.unsend(3);
        queue.resume();
        assertThat(send()).isSameAs(sent.get(0));
        queue.unsend(1);
        assertThat(send()).isSameAs(sent.get(0));
        assertThat(queue.nextToSend()).isNull();
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
