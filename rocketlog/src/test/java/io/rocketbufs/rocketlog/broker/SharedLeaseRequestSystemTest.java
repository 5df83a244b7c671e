package io.rocketbufs.rocketlog.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.rocketlog.RunningLogBroker;
import io.rocketbufs.rocketlog.protocol.LeaseMessageLayout;
import io.rocketbufs.rocketlog.protocol.LeaseMode;
import io.rocketbufs.rocketlog.protocol.LogMessageLayout;
import io.rocketbufs.rocketlog.protocol.LogMessageType;
import io.rocketbufs.rocketlog.protocol.LogRefusal;
import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of producers that request a shared lease too often, or when sharing is not permitted. */
@Timeout(600)
final class SharedLeaseRequestSystemTest extends LeaseFixture {
    @Test
    void shouldExcludeAnExclusiveLease() {
        start("tcp");
        RawProducer first = producer();
        RawProducer second = producer();
        RawProducer.Written log = first.share(0);
        assertThat(LogMessageLayout.refusal(second.acquire(0))).isEqualTo(LogRefusal.NOT_NOW);
        first.connection().disconnect("lost");
        await().until(() -> partition().leaseHolder() == null);
        assertThat(log.isRevoked).isFalse();
        second.lease(0);
        assertThat(LogMessageLayout.refusal(producer().acquire(0, LeaseMode.SHARED)))
                .isEqualTo(LogRefusal.NOT_NOW);
    }

    @Test
    void shouldRefuseToShareWithAProducerWithoutAnId() {
        start("tcp");
        ByteBuffer answer = producer().acquire(0, LeaseMode.SHARED, -1);
        assertThat(LogMessageLayout.refusal(answer)).isEqualTo(LogRefusal.INVALID);
        assertThat(LogMessageLayout.reason(answer)).contains("orders-0", "producerId=-1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm"})
    void shouldDisconnectAProducerThatKeepsRequesting(String transport) throws Exception {
        start(transport, IMPATIENT);
        RocketBufs ofStopped =
                running.opened(RocketBufs.open(RunningLogBroker.config(folder, "rocketbufs.transport = " + transport)));
        RawProducer stopped = running.opened(new RawProducer(ofStopped, running.address()));
        stopped.announce("orders");
        stopped.share(0);
        CountDownLatch end = new CountDownLatch(1);
        running.opened((AutoCloseable) end::countDown);
        stopped.occupyUntil(end);
        RawProducer hostile = producer();
        hostile.share(0);
        for (int i = 0; i < 1000 && hostile.connection().isOpen(); i++) {
            try {
                hostile.connection()
                        .sendControlMessage(LeaseMessageLayout.acquire(i, RawProducer.BUFFER, 0, LeaseMode.SHARED, 1));
            } catch (TransportException e) {
                break; // the broker has already ended the connection
            }
        }
        await().atMost(60, TimeUnit.SECONDS).until(() -> hostile.end != null);
        end.countDown();
        appendByAnother(0);
    }

    /** The producer requests the lease more often than a lease can have writers. */
    @Test
    void shouldKeepTheMemoryOfOtherProducersWhenOneKeepsRequesting() throws Exception {
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
        assertThat(counters().startedLeases.sum()).isEqualTo(1);
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
}
