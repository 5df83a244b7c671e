package io.rocketbufs.rocketlog.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.rocketlog.client.LogClientSettings.ProduceMode;
import io.rocketbufs.rocketlog.client.LogProducer;
import io.rocketbufs.rocketlog.protocol.AppendResult;
import io.rocketbufs.rocketlog.protocol.LeaseMessageLayout;
import io.rocketbufs.rocketlog.protocol.LeaseMode;
import io.rocketbufs.rocketlog.protocol.LogRefusal;
import io.rocketbufs.rocketlog.protocol.ProduceMessageLayout;
import io.rocketbufs.rocketlog.record.BatchVerdict;
import io.rocketbufs.rocketlog.record.RecordBatchLayout;
import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of producers that violate the protocol while they are permitted to write into the log. */
@Tag("once")
@Timeout(600)
final class HostileLeaseSystemTest extends LeaseFixture {
    private RawProducer startedProducer(String transport, String... settings) {
        start(transport, settings);
        return producer();
    }

    private static ByteBuffer batch(int sequence, String... values) {
        return batch(7, sequence, values);
    }

    /** Appends with another producer, which is possible only while there is no lease. */
    private void appendWithoutLease(long expectedOffset) {
        appendByAnother(expectedOffset);
        assertThat(partition().leaseHolder()).isNull();
    }

    static Stream<Object[]> malformedBatchesOverEachTransport() {
        return Stream.of("tcp", "shm", "rdma")
                .flatMap(transport -> MalformedBatches.all().map(each -> new Object[] {transport, each[0], each[1]}));
    }

    @ParameterizedTest
    @MethodSource("malformedBatchesOverEachTransport")
    void shouldEndTheLeaseAtAMalformedBatchAndLeaveTheLogUnchanged(
            String transport, BatchVerdict verdict, ByteBuffer malformed) {
        RawProducer hostile = startedProducer(transport);
        RawProducer.Written log = hostile.lease(0);
        log.write(batch(0, "good"));
        log.write(malformed);
        boolean isWritten = log.write(batch(1, "behind it"));
        hostile.awaitResults(isWritten ? 3 : 2);
        List<Long> expected = List.of(0L, AppendResult.rejected(verdict), AppendResult.LEASE_ENDED);
        assertThat(hostile.results).isEqualTo(expected.subList(0, isWritten ? 3 : 2));
        await().until(() -> log.isRevoked);
        appendWithoutLease(1);
        assertThat(counters().changedLeases.sum()).isZero();
        assertThat(hostile.end).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm", "rdma"})
    void shouldRefuseWrongSequencesAndEpochs(String transport) {
        RawProducer hostile = startedProducer(transport);
        hostile.lease(0).write(RawProducer.batch(7, 3, 0, "epoch 3"));
        hostile.awaitResults(1);
        RawProducer.Written second = hostile.lease(0);
        second.write(RawProducer.batch(7, 2, 1, "former epoch"));
        hostile.awaitResults(2);
        RawProducer.Written third = hostile.lease(0);
        third.write(RawProducer.batch(7, 3, 5, "gap"));
        hostile.awaitResults(3);
        RawProducer.Written fourth = hostile.lease(0);
        fourth.write(RawProducer.batch(7, 3, 0, "epoch 3"));
        boolean isWritten = fourth.write(RawProducer.batch(7, 3, 1, "leaves a gap behind the duplicate"));
        hostile.awaitResults(isWritten ? 5 : 4);
        List<Long> expected = List.of(0L, AppendResult.FENCED, AppendResult.OUT_OF_ORDER, 0L, AppendResult.LEASE_ENDED);
        assertThat(hostile.results).isEqualTo(expected.subList(0, isWritten ? 5 : 4));
        appendWithoutLease(1);
    }

    /** Changes the second of three records after all of them have been acknowledged. */
    private static void changeRecords(RawProducer hostile) {
        RawProducer.Written log = hostile.lease(0);
        log.write(batch(0, "first"));
        int second = batch(0, "first").limit();
        log.write(batch(1, "second"));
        log.write(batch(2, "third"));
        hostile.awaitResults(3);
        log.write(second + RecordBatchLayout.HEADER_LENGTH, 3, ByteBuffer.wrap(new byte[] {1, 2, 3}));
        hostile.awaitResults(4); // the fourth batch is refused: the broker expected it at a different place
        assertThat(hostile.results).startsWith(0L, 1L, 2L).last().matches(result -> result < 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm", "rdma"})
    void shouldDetectChangedRecordsAndWithdrawTheProducersPermission(String transport) throws Exception {
        RawProducer hostile = startedProducer(transport);
        try (LoggedMessages logged = new LoggedMessages(LentSegment.class)) {
            changeRecords(hostile);
            appendWithoutLease(3);
            assertThat(logged.all())
                    .singleElement()
                    .asString()
                    .contains("raw", "changed records of orders-0", "at offset=", "can no longer write");
        }
        assertThat(counters().changedLeases.sum()).isEqualTo(1);
        assertThat(running.status()).contains("\"changedLeases\":1");
        RawProducer.assertRefused(hostile.acquire(0), LogRefusal.MODE_UNAVAILABLE, "orders-0: a producer on ");
        RawProducer.assertRefused(producer().acquire(1), LogRefusal.MODE_UNAVAILABLE, "orders-1: a producer on ");
        hostile.send(0, batch(3, "through the ring"));
        hostile.awaitResults(5);
        assertThat(hostile.results).last().isEqualTo(4L);
    }

    @Test
    void shouldLetOtherProducersOnTheHostContinueWithTheirPrivateBuffers() throws Exception {
        RawProducer hostile = startedProducer("tcp", "rocketlog.producer.lease-delay = 1 ms");
        LogProducer present = honest(ProduceMode.EXCLUSIVE);
        assertThat(append(present, 1)).isZero();
        assertThat(running.status()).contains("\"writtenBatches\":1");
        changeRecords(hostile);
        appendWithoutLease(3);
        await().until(() -> running.status().contains("\"leases\":0"));
        assertThat(append(present, 0)).isEqualTo(4);
        assertThat(append(present, 1)).isEqualTo(1);
        LogProducer later = honest(ProduceMode.EXCLUSIVE);
        try (LoggedMessages logged = new LoggedMessages(LogProducer.class)) {
            assertThat(append(later, 0)).isEqualTo(5);
            assertThat(logged.all())
                    .singleElement()
                    .asString()
                    // The benchmarks search for this text.
                    .startsWith("Topic orders: the producer uses the mode private: ");
        }
        assertThat(append(later, 1)).isEqualTo(2);
        for (LogProducer each : List.of(present, later)) {
            each.flush();
            assertThat(each.failure()).isNull();
            assertThat(each.reconnectCount()).isZero();
        }
        assertThat(running.status()).contains("\"writtenBatches\":4");
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm", "rdma"})
    void shouldKeepAProducerFromWritingAfterItsLeaseWasTaken(String transport) {
        RawProducer hostile = startedProducer(transport);
        RawProducer.Written log = hostile.lease(0);
        log.write(batch(0, "first"));
        hostile.awaitResults(1);
        appendWithoutLease(1);
        await().until(() -> log.isRevoked);
        assertThat(log.write(0, 1, batch(0, "fraud")).name()).isEqualTo("CLOSED");
        assertThat(counters().changedLeases.sum()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm", "rdma"})
    void shouldDisconnectAProducerThatSkipsANumber(String transport) {
        RawProducer hostile = startedProducer(transport);
        RawProducer.Written log = hostile.lease(0);
        log.write(0, 1, batch(0, "first"));
        await().until(() -> hostile.end != null);
        appendWithoutLease(0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm", "rdma"})
    void shouldDisconnectAProducerThatRepeatsANumber(String transport) {
        RawProducer hostile = startedProducer(transport);
        RawProducer.Written log = hostile.lease(0);
        ByteBuffer first = batch(0, "first");
        log.write(0, 0, first);
        hostile.awaitResults(1);
        log.write(first.limit(), 0, batch(1, "second"));
        await().until(() -> hostile.end != null);
        assertThat(hostile.results).containsExactly(0L);
        appendWithoutLease(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm", "rdma"})
    void shouldDisconnectAProducerThatWritesWithoutReadingResults(String transport) {
        RawProducer first = startedProducer(transport, "rocketlog { produce.window = 2, segment-length = 1 MiB }");
        RawProducer hostile = running.opened(new RawProducer(running.clients(), running.address()));
        hostile.ask(ProduceMessageLayout.produce(1, RawProducer.BUFFER, "orders")); // does not subscribe to the results
        RawProducer.Written log = hostile.lease(0);
        for (int i = 0; i < 2 * AppendResult.MOST_IN_FLIGHT && hostile.end == null; i++) {
            log.write(batch(i, "x"));
        }
        await().until(() -> hostile.end != null);
        assertThat(first.end).isNull();
        long offset = partition().nextOffset();
        appendWithoutLease(offset);
    }

    @Test
    void shouldRefuseALeaseWithAReason() {
        RawProducer producer = startedProducer("tcp");
        RawProducer.assertRefused(producer.acquire(2), LogRefusal.INVALID, "has no partition 2");
        RawProducer.assertRefused(
                producer.ask(LeaseMessageLayout.acquire(1, 9, 0, LeaseMode.EXCLUSIVE, 1)),
                LogRefusal.INVALID,
                "partition 0: bufferId=9 has no producer");
        running.withTopic("prices", 1);
        RawProducer other = running.opened(new RawProducer(running.clients(), running.address()));
        other.announce("prices");
        RawProducer.assertRefused(other.acquire(0), LogRefusal.DENIED, "rocketlog.produce.direct.topics");
        producer.lease(0);
        RawProducer.assertRefused(producer().acquire(0), LogRefusal.NOT_NOW, "another producer is appending");
        producer.lease(1);
        assertThat(running.status()).contains("\"leases\":2", "\"acquire\":6", "\"startedLeases\":2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm", "rdma"})
    void shouldDisconnectAProducerThatKeepsRequestingTheSameLease(String transport) {
        RawProducer hostile = startedProducer(transport);
        hostile.lease(0);
        try {
            for (int i = 0; i < 1000; i++) {
                hostile.connection()
                        .sendControlMessage(
                                LeaseMessageLayout.acquire(i, RawProducer.BUFFER, 0, LeaseMode.EXCLUSIVE, 1));
            }
        } catch (TransportException e) {
            // The broker has already ended the connection.
            assertThat(e.code()).isEqualTo(TransportException.Code.CLOSED);
        }
        await().atMost(60, TimeUnit.SECONDS).until(() -> hostile.end != null);
        appendWithoutLease(0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm", "rdma"})
    void shouldGiveTheLeaseToOthersWhenTheConnectionOrTheProducerEnds(String transport) {
        RawProducer first = startedProducer(transport);
        first.lease(0).write(batch(0, "first"));
        first.awaitResults(1);
        first.connection().disconnect("lost");
        await().until(() -> partition().leaseHolder() == null);
        RawProducer second = producer();
        RawProducer.Written log = second.lease(0);
        log.write(batch(1, "second"));
        second.awaitResults(1);
        second.endBuffer();
        await().until(() -> log.isRevoked);
        appendWithoutLease(2);
    }
}
