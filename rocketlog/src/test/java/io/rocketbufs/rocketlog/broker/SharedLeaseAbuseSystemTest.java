package io.rocketbufs.rocketlog.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.rocketlog.LoggedRecords;
import io.rocketbufs.rocketlog.RunningLogBroker;
import io.rocketbufs.rocketlog.protocol.AppendResult;
import io.rocketbufs.rocketlog.protocol.LeaseMessageLayout;
import io.rocketbufs.rocketlog.protocol.LeaseMode;
import io.rocketbufs.rocketlog.protocol.LogMessageLayout;
import io.rocketbufs.rocketlog.protocol.LogMessageType;
import io.rocketbufs.rocketlog.protocol.LogRefusal;
import io.rocketbufs.rocketlog.protocol.OrderWordLayout;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Producers that try to make the broker acknowledge the wrong batch, or to keep others from sharing a partition. */
@Timeout(120)
final class SharedLeaseAbuseSystemTest {
    private static final long ONE_ORDER = OrderWordLayout.reservation(0);

    @TempDir
    Path folder;

    private RunningLogBroker running;

    private void start(String transport) {
        RunningLogBroker.assume(transport, folder);
        running = new RunningLogBroker(
                folder,
                "rocketbufs.transport = " + transport,
                "rocketlog { batch.longest = 32 KiB, segment-length = 64 KiB",
                "produce.direct { topics = [orders], revoke-timeout = 30 s, order-timeout = 60 s } }");
        running.withTopic("orders", 1);
    }

    private RawProducer producer() {
        RawProducer producer = running.opened(new RawProducer(running.clients(), running.address()));
        assertThat(LogMessageLayout.type(producer.announce("orders"))).isEqualTo(LogMessageType.PRODUCING);
        return producer;
    }

    @AfterEach
    void close() {
        if (running != null) { // otherwise, skipped
            running.close();
        }
    }

    private LogPartition partition() {
        return running.broker().topics().topic("orders").partition(0);
    }

    private static ByteBuffer batch(long producerId, int sequence, String value) {
        return RawProducer.batch(producerId, 0, sequence, value);
    }

    /** The word has been set back by one order, so two producers have the same order, and other places. */
    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm", "rdma"})
    void shouldNotAcknowledgeTheBatchOfAProducerWhenThatOfAnotherIsAtItsPlace(String transport) {
        start(transport);
        RawProducer first = producer();
        RawProducer second = producer();
        RawProducer.Written one = first.share(0, 1);
        RawProducer.Written two = second.share(0, 2);
        ByteBuffer batch = batch(1, 0, "value");
        ByteBuffer other = batch(2, 0, "other");
        long place = one.reserve(batch);
        producer().share(0, 3).add(-ONE_ORDER);
        long otherPlace = two.reserve(other);
        assertThat(OrderWordLayout.order(otherPlace)).isEqualTo(OrderWordLayout.order(place));
        one.write(OrderWordLayout.position(place), 5, batch); // in memory; its order is announced too late
        one.add(0); // after the write
        two.writeTo(otherPlace, other);
        second.awaitResults(1);
        first.awaitResults(1);
        assertThat(second.results).containsExactly(AppendResult.LEASE_ENDED);
        assertThat(first.results).containsExactly(AppendResult.LEASE_ENDED);
        await().until(() -> one.isRevoked && two.isRevoked);
        assertThat(partition().nextOffset()).isZero();
        assertThat(running.broker().topics().counters().brokenLeases.sum()).isEqualTo(1);
        second.send(0, other);
        second.awaitResults(2);
        assertThat(second.results).last().isEqualTo(0L);
        first.send(0, batch);
        first.awaitResults(2);
        assertThat(first.results).last().isEqualTo(1L);
        running.close();
        assertThat(LoggedRecords.values(folder, "orders-0")).containsExactly("other", "value");
    }

    @Test
    void shouldRefuseToShareWithAProducerWithoutAnId() {
        start("tcp");
        ByteBuffer answer = producer().acquire(0, LeaseMode.SHARED, -1);
        assertThat(LogMessageLayout.refusal(answer)).isEqualTo(LogRefusal.INVALID);
        assertThat(LogMessageLayout.reason(answer)).contains("orders-0", "producerId=-1");
    }

    /** More often than a lease can have writers. */
    @Test
    void shouldKeepTheMemoryOfTheOthersWhenAProducerAsksAgainAndAgain() throws Exception {
        start("tcp");
        RawProducer victim = producer();
        RawProducer.Written log = victim.share(0, 1);
        RawProducer hostile = producer();
        for (int i = 0; i < 1100; i++) {
            hostile.connection()
                    .sendControlMessage(LeaseMessageLayout.acquire(i, RawProducer.BUFFER, 0, LeaseMode.SHARED, 2));
            ByteBuffer answer = hostile.answers.poll(60, TimeUnit.SECONDS);
            assertThat(LogMessageLayout.type(answer)).isEqualTo(LogMessageType.ACQUIRED);
        }
        ByteBuffer batch = batch(1, 0, "value");
        log.writeTo(log.reserve(batch), batch);
        victim.awaitResults(1);
        assertThat(victim.results).containsExactly(0L);
        assertThat(log.isRevoked).isFalse();
        assertThat(running.broker().topics().counters().startedLeases.sum()).isEqualTo(1);
        RawProducer.Written own = hostile.share(0, 2);
        ByteBuffer next = batch(2, 0, "of the other");
        own.writeTo(own.reserve(next), next);
        hostile.awaitResults(1);
        assertThat(hostile.results).containsExactly(1L);
    }

    @Test
    void shouldDeliverTheResultsOfAProducerThatAsksAgainBeforeItsBatchesAreDue() {
        start("tcp");
        RawProducer slow = producer();
        RawProducer.Written first = slow.share(0, 1);
        ByteBuffer due = batch(1, 0, "first");
        long place = first.reserve(due);
        RawProducer hasty = producer();
        RawProducer.Written log = hasty.share(0, 2);
        ByteBuffer early = batch(2, 0, "second");
        log.writeTo(log.reserve(early), early);
        RawProducer.Written again = hasty.share(0, 2);
        assertThat(log.isRevoked).isTrue();
        ByteBuffer later = batch(2, 1, "third");
        again.writeTo(again.reserve(later), later);
        first.writeTo(place, due);
        slow.awaitResults(1);
        hasty.awaitResults(2);
        assertThat(slow.results).containsExactly(0L);
        assertThat(hasty.results).containsExactly(1L, 2L);
    }

    @Test
    void shouldPauseSharingWhenAProducerSaysThatTheSegmentIsFullAndItIsNot() {
        start("tcp");
        RawProducer hostile = producer();
        RawProducer.Written log = hostile.share(0);
        log.write(0, OrderWordLayout.order(log.add(ONE_ORDER)), ByteBuffer.allocate(0));
        await().until(() -> log.isRevoked);
        assertThat(running.broker().topics().counters().brokenLeases.sum()).isEqualTo(1);
        ByteBuffer answer = hostile.acquire(0, LeaseMode.SHARED);
        assertThat(LogMessageLayout.refusal(answer)).isEqualTo(LogRefusal.NOT_NOW);
    }
}
