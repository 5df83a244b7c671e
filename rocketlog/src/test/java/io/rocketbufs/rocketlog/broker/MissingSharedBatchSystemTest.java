package io.rocketbufs.rocketlog.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.options.Posted;
import io.rocketbufs.rocketlog.protocol.AppendResult;
import io.rocketbufs.rocketlog.protocol.OrderWordLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of producers that reserve a place in a shared segment, and write to it late or never. */
@Timeout(600)
final class MissingSharedBatchSystemTest extends LeaseFixture {
    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm", "rdma"})
    void shouldAppendInReservationOrderRegardlessOfArrivalOrder(String transport) {
        start(transport);
        RawProducer first = producer();
        RawProducer second = producer();
        RawProducer.Written one = first.share(0, 0);
        RawProducer.Written two = second.share(0);
        List<ByteBuffer> batches = new ArrayList<>();
        List<Long> places = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            RawProducer.Written log = i % 2 == 0 ? one : two;
            batches.add(batch(i % 2, i / 2, "record " + i));
            places.add(log.reserve(batches.get(i)));
        }
        for (int i = 9; i > 0; i--) {
            (i % 2 == 0 ? one : two).writeTo(places.get(i), batches.get(i));
        }
        RawProducer copied = producer();
        copied.send(0, batch(50, 0, "copied"));
        await().until(() -> OrderWordLayout.order(one.add(0)) == 11);
        assertThat(partition().nextOffset()).isZero();
        assertThat(first.results).isEmpty();
        assertThat(second.results).isEmpty();
        assertThat(copied.results).isEmpty();
        one.writeTo(places.get(0), batches.get(0));
        first.awaitResults(5);
        second.awaitResults(5);
        copied.awaitResults(1);
        assertThat(first.results).containsExactly(0L, 2L, 4L, 6L, 8L);
        assertThat(second.results).containsExactly(1L, 3L, 5L, 7L, 9L);
        assertThat(copied.results).containsExactly(10L);
        assertThat(counters().brokenLeases.sum()).isZero();
        assertThat(counters().startedLeases.sum()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm", "rdma"})
    void shouldRevokeTheSegmentFromAllProducersWhenABatchDoesNotArrive(String transport) {
        start(transport, IMPATIENT);
        RawProducer hostile = producer();
        RawProducer victim = producer();
        RawProducer.Written one = hostile.share(0, 2);
        RawProducer.Written two = victim.share(0);
        RawProducer copied = producer();
        ByteBuffer first = batch(1, 0, "before");
        two.writeTo(two.reserve(first), first);
        long missing = one.reserve(batch(2, 0, "missing"));
        ByteBuffer second = batch(1, 1, "behind it");
        long beforeNs = System.nanoTime();
        two.writeTo(two.reserve(second), second);
        copied.send(0, batch(3, 0, "copied"));
        victim.awaitResults(2);
        assertThat(victim.results).containsExactly(0L, AppendResult.LEASE_ENDED);
        copied.awaitResults(1);
        assertThat(copied.results).containsExactly(1L);
        await().until(() -> one.isRevoked && two.isRevoked);
        assertThat(one.writeTo(missing, batch(2, 0, "missing"))).isEqualTo(Posted.CLOSED);
        assertThat(counters().brokenLeases.sum()).isEqualTo(1);
        hostile.assertMayNotShareNow(0, beforeNs);
        assertThat(running.status()).contains("\"brokenLeases\":1");
        appendByAnother(2);
    }

    @Test
    void shouldFindTheEmptyPlaceOfAProducerThatHasLeftAlthoughNothingWaitsForIt() {
        start("tcp", IMPATIENT);
        RawProducer hostile = producer();
        RawProducer other = producer();
        hostile.share(0).reserve(batch(1, 0, "missing"));
        RawProducer.Written log = other.share(0);
        hostile.connection().disconnect("lost");
        await().until(() -> log.isRevoked);
        assertThat(counters().brokenLeases.sum()).isEqualTo(1);
        appendByAnother(0);
    }

    @Test
    void shouldKeepTheSegmentWhenAProducerLeavesThatHasWrittenEverything() {
        start("tcp");
        RawProducer first = producer();
        RawProducer second = producer();
        RawProducer.Written one = first.share(0);
        RawProducer.Written two = second.share(0, 2);
        ByteBuffer before = batch(1, 0, "before");
        one.writeTo(one.reserve(before), before);
        first.awaitResults(1);
        first.connection().disconnect("lost");
        await().until(() -> !partition().leaseHolder().contains(","));
        ByteBuffer after = batch(2, 0, "after");
        two.writeTo(two.reserve(after), after);
        second.awaitResults(1);
        assertThat(second.results).containsExactly(1L);
        assertThat(two.isRevoked).isFalse();
    }

    @Test
    void shouldDisconnectAProducerThatWritesFarAheadOfItsResults() {
        start("tcp");
        RawProducer hostile = producer();
        RawProducer.Written log = hostile.share(0);
        log.add(ONE_ORDER); // this order remains missing, so that no batch receives a result
        for (int i = 0; i < 100 && hostile.end == null; i++) {
            log.write(0, i + 1, batch(1, i, "x"));
        }
        await().until(() -> hostile.end != null);
        appendByAnother(0);
    }
}
