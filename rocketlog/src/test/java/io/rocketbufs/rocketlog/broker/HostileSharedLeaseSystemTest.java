package io.rocketbufs.rocketlog.broker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.options.Posted;
import io.rocketbufs.rocketlog.LoggedRecords;
import io.rocketbufs.rocketlog.RunningLogBroker;
import io.rocketbufs.rocketlog.client.LogProducer;
import io.rocketbufs.rocketlog.client.ProducerCallback;
import io.rocketbufs.rocketlog.protocol.AppendResult;
import io.rocketbufs.rocketlog.protocol.LeaseMessageLayout;
import io.rocketbufs.rocketlog.protocol.LeaseMode;
import io.rocketbufs.rocketlog.protocol.LogMessageLayout;
import io.rocketbufs.rocketlog.protocol.LogMessageType;
import io.rocketbufs.rocketlog.protocol.LogRefusal;
import io.rocketbufs.rocketlog.protocol.OrderWordLayout;
import io.rocketbufs.rocketlog.record.BatchVerdict;
import io.rocketbufs.rocketlog.record.RecordBatchLayout;
import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Producers that share a segment with others, and do with it what the protocol does not allow. */
@Timeout(120)
final class HostileSharedLeaseSystemTest {
    private static final long ONE_ORDER = OrderWordLayout.reservation(0);
    private static final String PATIENT = "rocketlog.produce.direct.order-timeout = 60 s";

    @TempDir
    Path folder;

    private RunningLogBroker running;

    private void start(String transport, String... settings) {
        RunningLogBroker.assume(transport, folder);
        running = new RunningLogBroker(
                folder,
                "rocketbufs.transport = " + transport,
                "rocketlog { batch.longest = 32 KiB, segment-length = 64 KiB",
                "produce.direct { topics = [orders], revoke-timeout = 30 s, order-timeout = 100 ms }",
                "producer { mode = shared, batch = 4 KiB, memory = 64 KiB, lease-delay = 10 ms } }",
                String.join("\n", settings));
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

    private static ByteBuffer batch(long producerId, int sequence, String... values) {
        return RawProducer.batch(producerId, 0, sequence, values);
    }

    private void appendByAnother(long expectedOffset) {
        RawProducer other = producer();
        other.send(0, batch(99, 0, "of another producer"));
        other.awaitResults(1);
        assertThat(other.results).containsExactly(expectedOffset);
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm", "rdma"})
    void shouldAppendInTheOrderOfTheReservationsHoweverTheBatchesArrive(String transport) {
        start(transport, PATIENT);
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
        RawProducer private1 = producer();
        private1.send(0, batch(50, 0, "copied"));
        await().until(() -> OrderWordLayout.order(one.add(0)) == 11);
        assertThat(partition().nextOffset()).isZero();
        assertThat(first.results).isEmpty();
        assertThat(second.results).isEmpty();
        assertThat(private1.results).isEmpty();
        one.writeTo(places.get(0), batches.get(0));
        first.awaitResults(5);
        second.awaitResults(5);
        private1.awaitResults(1);
        assertThat(first.results).containsExactly(0L, 2L, 4L, 6L, 8L);
        assertThat(second.results).containsExactly(1L, 3L, 5L, 7L, 9L);
        assertThat(private1.results).containsExactly(10L);
        assertThat(running.broker().topics().counters().brokenLeases.sum()).isZero();
        assertThat(running.broker().topics().counters().startedLeases.sum()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm", "rdma"})
    void shouldTakeTheSegmentFromAllWhenABatchDoesNotArrive(String transport) {
        start(transport);
        RawProducer hostile = producer();
        RawProducer victim = producer();
        RawProducer.Written one = hostile.share(0, 2);
        RawProducer.Written two = victim.share(0);
        RawProducer copied = producer();
        ByteBuffer first = batch(1, 0, "before");
        two.writeTo(two.reserve(first), first);
        long missing = one.reserve(batch(2, 0, "missing"));
        ByteBuffer second = batch(1, 1, "behind it");
        two.writeTo(two.reserve(second), second);
        copied.send(0, batch(3, 0, "copied"));
        victim.awaitResults(2);
        assertThat(victim.results).containsExactly(0L, AppendResult.LEASE_ENDED);
        copied.awaitResults(1);
        assertThat(copied.results).containsExactly(1L);
        await().until(() -> one.isRevoked && two.isRevoked);
        assertThat(one.writeTo(missing, batch(2, 0, "missing"))).isEqualTo(Posted.CLOSED);
        assertThat(running.broker().topics().counters().brokenLeases.sum()).isEqualTo(1);
        assertThat(running.status()).contains("\"brokenLeases\":1");
        ByteBuffer answer = hostile.acquire(0, LeaseMode.SHARED);
        assertThat(LogMessageLayout.refusal(answer)).isEqualTo(LogRefusal.NOT_NOW);
        appendByAnother(2);
    }

    @Test
    void shouldFindTheEmptyPlaceOfAProducerThatHasLeftAlthoughNothingWaitsForIt() {
        start("tcp");
        RawProducer hostile = producer();
        RawProducer other = producer();
        hostile.share(0).reserve(batch(1, 0, "missing"));
        RawProducer.Written log = other.share(0);
        hostile.connection().disconnect("lost");
        await().until(() -> log.isRevoked);
        assertThat(running.broker().topics().counters().brokenLeases.sum()).isEqualTo(1);
        appendByAnother(0);
    }

    @Test
    void shouldKeepTheSegmentWhenAProducerLeavesThatHasWrittenEverything() {
        start("tcp", PATIENT);
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

    static List<Object[]> malformedBatchesOverEachTransport() {
        return HostileLeaseSystemTest.malformedBatchesOverEachTransport()
                .filter(each -> ((ByteBuffer) each[2]).hasRemaining()) // a write of length 0 says that there is no room
                .toList();
    }

    /** The producer may be innocent, because others can write to the same place. Its buffer shows the verdict. */
    @ParameterizedTest
    @MethodSource("malformedBatchesOverEachTransport")
    void shouldEndTheLeaseAtAMalformedBatchAndGiveTheVerdictForTheBuffer(
            String transport, BatchVerdict verdict, ByteBuffer malformed) {
        start(transport, PATIENT);
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
        assertThat(running.broker().topics().counters().changedLeases.sum()).isZero();
        if (verdict != BatchVerdict.ASSIGNED) { // a batch that the broker copies may have any value there
            hostile.send(0, malformed);
            hostile.awaitResults(2);
            assertThat(hostile.results).last().isEqualTo(AppendResult.rejected(verdict));
        }
    }

    @Test
    void shouldNotAppendADuplicateThatHasBeenWritten() {
        start("tcp", PATIENT);
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
        start("tcp", PATIENT);
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
        assertThat(running.broker().topics().counters().startedLeases.sum()).isEqualTo(1);
    }

    /** Changes the second of three records after all have been acknowledged. */
    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm", "rdma"})
    void shouldFindChangedRecordsAndWithdrawThePermissionFromAllWhoCouldHaveDoneIt(String transport) throws Exception {
        start(transport, PATIENT);
        LogProducer honest = honest();
        assertThat(append(honest)).isZero();
        RawProducer hostile = producer();
        RawProducer.Written log = hostile.share(0, 7);
        ByteBuffer first = batch(7, 0, "first");
        long place = log.reserve(first);
        log.writeTo(place, first);
        hostile.awaitResults(1);
        assertThat(append(honest)).isEqualTo(2);
        int order = OrderWordLayout.order(log.add(ONE_ORDER));
        long records = OrderWordLayout.position(place) + RecordBatchLayout.HEADER_LENGTH;
        log.write(records, order, ByteBuffer.wrap(new byte[] {1, 2, 3}));
        hostile.awaitResults(2);
        assertThat(hostile.results).containsExactly(1L, AppendResult.LEASE_ENDED);
        await().until(() -> running.status().contains("\"changedLeases\":1"));
        assertThat(append(honest)).isEqualTo(3);
        assertThat(append(honest)).isEqualTo(4);
        assertThat(honest.failure()).isNull();
        await().until(() -> partition().leaseHolder() == null);
        ByteBuffer answer = hostile.acquire(0, LeaseMode.SHARED);
        assertThat(LogMessageLayout.refusal(answer)).isEqualTo(LogRefusal.MODE_UNAVAILABLE);
    }

    private LogProducer honest() {
        return running.opened(LogProducer.open(running.clients(), running.settings(), "orders", ProducerCallback.NONE));
    }

    private static long append(LogProducer producer) throws Exception {
        return producer.append(0, null, ByteBuffer.wrap(new byte[] {1})).get(30, TimeUnit.SECONDS);
    }

    /** What a producer may add to the word, or write, while others use the segment. */
    private enum Hostility {
        SKIPS_AN_ORDER {
            @Override
            void act(RawProducer.Written log) {
                log.add(ONE_ORDER);
            }
        },
        RESERVES_EVERYTHING {
            @Override
            void act(RawProducer.Written log) {
                log.add(ONE_ORDER + (1L << 47));
            }
        },
        ADDS_ALL_ORDERS_BUT_ONE {
            @Override
            void act(RawProducer.Written log) {
                log.add(-ONE_ORDER);
            }
        },
        GOES_BACK(true) {
            @Override
            void act(RawProducer.Written log) {
                log.add(-ONE_ORDER - 5000);
            }
        },
        ADDS_GARBAGE(true) {
            @Override
            void act(RawProducer.Written log) {
                log.add(System.nanoTime() * 0x9E3779B97F4A7C15L);
            }
        },
        JUMPS_FAR_AHEAD {
            @Override
            void act(RawProducer.Written log) {
                log.add(2000 * ONE_ORDER);
            }
        },
        MOVES_THE_PLACE {
            @Override
            void act(RawProducer.Written log) {
                log.add(61);
            }
        },
        /** Certainly changes what has been acknowledged: the offset of the first batch. */
        REPEATS_AN_ORDER(true) {
            @Override
            void act(RawProducer.Written log) {
                log.copy(batch(System.nanoTime(), 0, "behind the first batch"));
                int order = OrderWordLayout.order(log.add(0));
                log.mustWrite(0, order - 3 & 0xFFFF, ByteBuffer.wrap(new byte[] {1}));
                for (int i = -2; i < 4; i++) {
                    log.write(0, order + i & 0xFFFF, ByteBuffer.wrap(new byte[] {1}));
                }
            }
        },
        SAYS_THAT_IT_IS_FULL {
            @Override
            void act(RawProducer.Written log) {
                log.write(0, OrderWordLayout.order(log.add(ONE_ORDER)), ByteBuffer.allocate(0));
            }
        },
        WRITES_ZEROS_OVER_THE_NEXT_PLACES(true) {
            @Override
            void act(RawProducer.Written log) {
                long place = OrderWordLayout.position(log.add(0));
                int length = (int) Math.min(5000, log.memory.length() - place);
                if (length > 0) {
                    log.write(place, 0, ByteBuffer.allocate(length));
                }
            }
        };

        /** True if it may change what has been acknowledged, which the permission allows it to do. */
        private final boolean mayDestroy;

        Hostility() {
            this(false);
        }

        Hostility(boolean mayDestroy) {
            this.mayDestroy = mayDestroy;
        }

        abstract void act(RawProducer.Written log);
    }

    @ParameterizedTest
    @EnumSource(Hostility.class)
    void shouldLetHonestProducersAppendEveryRecordOnceAndInOrder(Hostility hostility) throws Exception {
        actBesideHonestProducers("tcp", hostility);
    }

    static List<Object[]> hostileActsOverOtherTransports() {
        return Stream.of("shm", "rdma")
                .flatMap(transport -> Stream.of(Hostility.values()).map(each -> new Object[] {transport, each}))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("hostileActsOverOtherTransports")
    @Tag("slow")
    void shouldLetHonestProducersAppendEveryRecordOnceAndInOrderOverOtherTransports(
            String transport, Hostility hostility) throws Exception {
        actBesideHonestProducers(transport, hostility);
    }

    private void actBesideHonestProducers(String transport, Hostility hostility) throws Exception {
        start(transport);
        int count = 1500;
        List<LogProducer> honest = List.of(honest(), honest());
        List<Thread> sending = new ArrayList<>();
        for (int i = 0; i < honest.size(); i++) {
            int number = i;
            sending.add(new Thread(() -> texts(number, count).forEach(text -> send(honest.get(number), text))));
        }
        sending.forEach(Thread::start);
        int acts = 0;
        RawProducer hostile = producer();
        while (sending.stream().anyMatch(Thread::isAlive) || acts == 0) {
            if (hostile.end != null) {
                hostile = producer();
            }
            ByteBuffer answer = hostile.acquireOrNull(0, LeaseMode.SHARED);
            if (answer != null && LogMessageLayout.type(answer) == LogMessageType.ACQUIRED) {
                acts += hostile.actWith(answer, hostility::act) ? 1 : 0;
            }
        }
        for (Thread each : sending) {
            each.join();
        }
        for (LogProducer each : honest) {
            each.flush();
            assertThat(each.failure()).isNull();
            assertThat(each.reconnectCount()).isZero();
            each.close();
        }
        LogCounters counters = running.broker().topics().counters();
        running.close();
        boolean isChanged = counters.changedLeases.sum() > 0; // the broker has checked everything now
        System.out.println(hostility + ": " + acts + ", changed: " + isChanged);
        assertThat(isChanged && !hostility.mayDestroy).isFalse();
        assertThat(isChanged || hostility != Hostility.REPEATS_AN_ORDER).isTrue();
        List<String> values = isChanged
                ? LoggedRecords.undamagedValues(folder, "orders-0")
                : LoggedRecords.values(folder, "orders-0");
        assertThat(values).isNotEmpty();
        for (int i = 0; i < honest.size(); i++) {
            String prefix = i + " ";
            List<String> expected = texts(i, count);
            if (isChanged) { // found, and the permission withdrawn
                expected.retainAll(Set.copyOf(values));
            }
            assertThat(values.stream().filter(value -> value.startsWith(prefix)))
                    .isEqualTo(expected);
        }
    }

    private static List<String> texts(int producer, int count) {
        char[] filling = new char[100];
        Arrays.fill(filling, 'x');
        return IntStream.range(0, count)
                .mapToObj(i -> producer + " " + i + new String(filling))
                .collect(Collectors.toCollection(ArrayList::new));
    }

    private static void send(LogProducer producer, String text) {
        ByteBuffer value = ByteBuffer.wrap(text.getBytes(UTF_8));
        long result = producer.send(0, null, value);
        while (result == LogProducer.NO_SPACE) {
            producer.awaitSpace();
            result = producer.send(0, null, value);
        }
        if (result == LogProducer.CLOSED) {
            throw producer.failure();
        }
    }

    @Test
    void shouldDisconnectAProducerThatWritesFarAheadOfItsResults() {
        start("tcp", PATIENT);
        RawProducer hostile = producer();
        RawProducer.Written log = hostile.share(0);
        log.add(ONE_ORDER); // missing, so that nothing has a result
        for (int i = 0; i < 100 && hostile.end == null; i++) {
            log.write(0, i + 1, batch(1, i, "x"));
        }
        await().until(() -> hostile.end != null);
        appendByAnother(0);
    }

    @Test
    void shouldDisconnectAProducerThatAsksAgainAndAgain() throws Exception {
        start("tcp");
        RocketBufs ofStopped = running.opened(RocketBufs.open(RunningLogBroker.config(folder)));
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
                break; // the broker was faster
            }
        }
        await().atMost(60, TimeUnit.SECONDS).until(() -> hostile.end != null);
        end.countDown();
        appendByAnother(0);
    }

    @Test
    void shouldExcludeAnExclusiveLease() {
        start("tcp", PATIENT);
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
}
