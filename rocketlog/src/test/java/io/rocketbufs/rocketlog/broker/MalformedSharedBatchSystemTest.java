package io.rocketbufs.rocketlog.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.rocketlog.client.LogClientSettings.ProduceMode;
import io.rocketbufs.rocketlog.client.LogProducer;
import io.rocketbufs.rocketlog.protocol.AppendResult;
import io.rocketbufs.rocketlog.protocol.LeaseMode;
import io.rocketbufs.rocketlog.protocol.LogMessageLayout;
import io.rocketbufs.rocketlog.protocol.LogRefusal;
import io.rocketbufs.rocketlog.protocol.OrderWordLayout;
import io.rocketbufs.rocketlog.record.BatchVerdict;
import io.rocketbufs.rocketlog.record.RecordBatchLayout;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of producers that write unacceptable data into a shared segment, or change data that it contains. */
@Tag("once")
@Timeout(600)
final class MalformedSharedBatchSystemTest extends LeaseFixture {
    static List<Object[]> malformedBatchesOverEachTransport() {
        return HostileLeaseSystemTest.malformedBatchesOverEachTransport()
                .filter(each -> ((ByteBuffer) each[2]).hasRemaining()) // a write of length 0 announces a full segment
                .toList();
    }

    /**
     * The lease gives no verdict, because another producer may have written to the same place. The result of the same
     * batch through the producer's buffer shows the verdict.
     */
    @ParameterizedTest
    @MethodSource("malformedBatchesOverEachTransport")
    void shouldEndTheLeaseAtAMalformedBatchAndReportTheVerdictForTheBuffer(
            String transport, BatchVerdict verdict, ByteBuffer malformed) {
        start(transport);
        RawProducer hostile = producer();
        RawProducer victim = producer();
        RawProducer.Written one = hostile.share(0, 7);
        RawProducer.Written two = victim.share(0);
        long place = one.reserve(malformed);
        ByteBuffer behind = batch(1, 0, "behind it");
        two.writeTo(two.reserve(behind), behind);
        one.writeTo(place, malformed);
        hostile.awaitResults(1);
        victim.awaitResults(1);
        assertThat(hostile.results).containsExactly(AppendResult.LEASE_ENDED);
        assertThat(victim.results).containsExactly(AppendResult.LEASE_ENDED);
        await().until(() -> one.isRevoked && two.isRevoked);
        appendByAnother(0);
        assertThat(counters().changedLeases.sum()).isZero();
        if (verdict != BatchVerdict.ASSIGNED) { // a batch that the broker copies may have any offset and epoch
            hostile.send(0, malformed);
            hostile.awaitResults(2);
            assertThat(hostile.results).last().isEqualTo(AppendResult.rejected(verdict));
        }
    }

    @Test
    void shouldNotAppendADuplicateThatHasBeenWritten() {
        start("tcp");
        RawProducer hostile = producer();
        RawProducer.Written log = hostile.share(0);
        ByteBuffer batch = batch(1, 0, "once");
        log.writeTo(log.reserve(batch), batch);
        log.writeTo(log.reserve(batch), batch);
        hostile.awaitResults(2);
        assertThat(hostile.results).containsExactly(0L, AppendResult.LEASE_ENDED);
        appendByAnother(1);
    }

    @Test
    void shouldAnswerADuplicateInABufferWithItsOffsetAndKeepTheLease() {
        start("tcp");
        RawProducer first = producer();
        RawProducer.Written log = first.share(0, 2);
        RawProducer other = producer();
        ByteBuffer batch = batch(1, 0, "once");
        other.send(0, batch);
        other.send(0, batch);
        other.send(0, batch(1, 7, "gap"));
        other.awaitResults(3);
        assertThat(other.results).containsExactly(0L, 0L, AppendResult.OUT_OF_ORDER);
        assertThat(log.isRevoked).isFalse();
        ByteBuffer next = batch(2, 0, "next");
        log.writeTo(log.reserve(next), next);
        first.awaitResults(1);
        assertThat(first.results).containsExactly(1L);
        assertThat(counters().startedLeases.sum()).isEqualTo(1);
    }

    /** A producer changes the second of three records after all three have been acknowledged. */
    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm", "rdma"})
    void shouldDetectChangedRecordsAndWithdrawThePermissionOfAllSuspects(String transport) throws Exception {
        start(transport);
        LogProducer honest = honest(ProduceMode.SHARED);
        assertThat(append(honest, 0)).isZero();
        RawProducer hostile = producer();
        RawProducer.Written log = hostile.share(0, 7);
        ByteBuffer first = batch(7, 0, "first");
        long place = log.reserve(first);
        log.writeTo(place, first);
        hostile.awaitResults(1);
        assertThat(append(honest, 0)).isEqualTo(2);
        int order = OrderWordLayout.order(log.add(ONE_ORDER));
        long records = OrderWordLayout.position(place) + RecordBatchLayout.HEADER_LENGTH;
        log.write(records, order, ByteBuffer.wrap(new byte[] {1, 2, 3}));
        hostile.awaitResults(2);
        assertThat(hostile.results).containsExactly(1L, AppendResult.LEASE_ENDED);
        await().until(() -> running.status().contains("\"changedLeases\":1"));
        assertThat(append(honest, 0)).isEqualTo(3);
        assertThat(append(honest, 0)).isEqualTo(4);
        assertThat(honest.failure()).isNull();
        await().until(() -> partition().leaseHolder() == null);
        ByteBuffer answer = hostile.acquire(0, LeaseMode.SHARED);
        assertThat(LogMessageLayout.refusal(answer)).isEqualTo(LogRefusal.MODE_UNAVAILABLE);
    }
}
