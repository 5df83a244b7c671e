package io.rocketbufs.rocketlog.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.rocketlog.LoggedRecords;
import io.rocketbufs.rocketlog.SentRecords;
import io.rocketbufs.rocketlog.client.LogClientSettings.ProduceMode;
import io.rocketbufs.rocketlog.client.LogProducer;
import io.rocketbufs.rocketlog.protocol.AppendResult;
import io.rocketbufs.rocketlog.protocol.LeaseMode;
import io.rocketbufs.rocketlog.protocol.LogMessageLayout;
import io.rocketbufs.rocketlog.protocol.LogMessageType;
import io.rocketbufs.rocketlog.protocol.LogRefusal;
import io.rocketbufs.rocketlog.protocol.OrderWordLayout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests of producers that violate the protocol by adding arbitrary values to the order word of a shared segment, or by
 * writing arbitrary bytes to the segment.
 */
@Tag("once")
@Timeout(600)
final class HostileSharedLeaseSystemTest extends LeaseFixture {
    /**
     * The ways in which a hostile producer changes the order word or the segment while other producers use the segment.
     */
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
        /** Always changes acknowledged data, namely the offset of the first batch. */
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

        /**
         * True if the act may change acknowledged data, which is possible because the producer is permitted to write.
         */
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
        actBesideHonestProducers("tcp", hostility, 1500);
    }

    /** The producers change the word themselves, without a message to the broker. */
    @ParameterizedTest
    @EnumSource(Hostility.class)
    void shouldLetHonestProducersAppendEveryRecordOnceAndInOrderOverSharedMemory(Hostility hostility) throws Exception {
        actBesideHonestProducers("shm", hostility, 150);
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
        actBesideHonestProducers(transport, hostility, 1500);
    }

    private void actBesideHonestProducers(String transport, Hostility hostility, int count) throws Exception {
        start(transport, IMPATIENT);
        List<LogProducer> honest = List.of(honest(ProduceMode.SHARED), honest(ProduceMode.SHARED));
        List<Thread> sending = new ArrayList<>();
        for (int i = 0; i < honest.size(); i++) {
            int number = i;
            sending.add(new Thread(
                    () -> texts(number, count).forEach(text -> SentRecords.send(honest.get(number), 0, text))));
        }
        sending.forEach(Thread::start);
        int acts = 0;
        RawProducer hostile = producer();
        LogCounters counters = counters();
        // The broker ignores operations that arrive after the end of the lease, so a single act may have no effect.
        while (sending.stream().anyMatch(Thread::isAlive)
                || acts == 0
                || hostility == Hostility.REPEATS_AN_ORDER && counters.changedLeases.sum() == 0) {
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
        running.close();
        boolean isChanged = counters.changedLeases.sum() > 0; // final, because the closed broker has checked everything
        System.out.println(hostility + ": " + acts + ", changed: " + isChanged);
        assertThat(isChanged && !hostility.mayDestroy).isFalse();
        assertThat(isChanged || hostility != Hostility.REPEATS_AN_ORDER).isTrue();
        List<String> values = isChanged
                ? LoggedRecords.undamagedValues(folder, "orders-0")
                : LoggedRecords.values(folder, "orders-0");
        assertThat(isChanged || !values.isEmpty()).isTrue();
        for (int i = 0; i < honest.size(); i++) {
            String prefix = i + " ";
            List<String> expected = texts(i, count);
            if (isChanged) { // the broker detected the change, and withdrew the permission
                expected.retainAll(Set.copyOf(values));
            }
            assertThat(values.stream().filter(value -> value.startsWith(prefix)))
                    .isEqualTo(expected);
        }
    }

    /** Returns a modifiable list of the texts of records. */
    private static List<String> texts(int producer, int count) {
        String filling = "x".repeat(100);
        return IntStream.range(0, count)
                .mapToObj(i -> producer + " " + i + filling)
                .collect(Collectors.toCollection(ArrayList::new));
    }

    /** The order word has been set back by one order, so two producers have the same order but different places. */
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
        one.write(OrderWordLayout.position(place), 5, batch); // only stores the batch; its order is announced too late
        // The response shows that the write has arrived.
        RawProducer.assertRefused(first.acquire(99), LogRefusal.INVALID, "no partition 99");
        two.writeTo(otherPlace, other);
        second.awaitResults(1);
        first.awaitResults(1);
        assertThat(second.results).containsExactly(AppendResult.LEASE_ENDED);
        assertThat(first.results).containsExactly(AppendResult.LEASE_ENDED);
        await().until(() -> one.isRevoked && two.isRevoked);
        assertThat(partition().nextOffset()).isZero();
        assertThat(counters().brokenLeases.sum()).isEqualTo(1);
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
    void shouldPauseSharingWhenAProducerWronglyReportsAFullSegment() {
        start("tcp");
        RawProducer hostile = producer();
        RawProducer.Written log = hostile.share(0);
        long beforeNs = System.nanoTime();
        log.write(0, OrderWordLayout.order(log.add(ONE_ORDER)), ByteBuffer.allocate(0));
        await().until(() -> log.isRevoked);
        assertThat(counters().brokenLeases.sum()).isEqualTo(1);
        hostile.assertMayNotShareNow(0, beforeNs);
    }

    /** Over shared memory, a disconnected producer can retain its mapping of the order word, but no other mapping. */
    @Test
    void shouldEndOnlyTheLeaseWhoseWordIsChangedByAProducerThatHasLeft() throws Exception {
        start("shm", IMPATIENT);
        RawProducer hostile = producer();
        hostile.share(0, 2);
        MappedByteBuffer word = mapOrderWord();
        RawProducer honest = producer();
        RawProducer.Written log = honest.share(0, 1);
        hostile.connection().disconnect("lost");
        await().until(() -> !partition().leaseHolder().contains(","));
        ByteBuffer first = batch(1, 0, "first");
        log.writeTo(log.reserve(first), first);
        honest.awaitResults(1);
        word.putLong(0, word.getLong(0) + 3 * ONE_ORDER);
        ByteBuffer second = batch(1, 1, "second");
        log.writeTo(log.reserve(second), second);
        honest.awaitResults(2);
        assertThat(honest.results).containsExactly(0L, AppendResult.LEASE_ENDED);
        await().until(() -> log.isRevoked);
        assertThat(counters().brokenLeases.sum()).isEqualTo(1);
        honest.send(0, second);
        honest.awaitResults(3);

        RawProducer.Written next = shareAgain(honest);
        word.putLong(0, -1);
        ByteBuffer third = batch(1, 2, "third");
        next.writeTo(next.reserve(third), third);
        honest.awaitResults(4);
        assertThat(honest.results).endsWith(1L, 2L);
        assertThat(counters().brokenLeases.sum()).isEqualTo(1);
        assertThat(counters().changedLeases.sum()).isZero();
    }

    /** Maps the memory of the order word for writing, as a peer's process does. */
    private static MappedByteBuffer mapOrderWord() throws IOException {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            for (Path each : descriptors.toList()) {
                if (target(each).startsWith("/memfd:rocketlog-orders")) {
                    try (FileChannel file = FileChannel.open(each, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                        MappedByteBuffer word = file.map(FileChannel.MapMode.READ_WRITE, 0, OrderWordLayout.LENGTH);
                        word.order(ByteOrder.nativeOrder());
                        return word;
                    }
                }
            }
        }
        throw new AssertionError("there is no memory of an order word");
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException e) {
            return ""; // the descriptor has been closed in the meantime
        }
    }

    /** Acquires a shared lease once the broker permits sharing again. */
    private static RawProducer.Written shareAgain(RawProducer producer) {
        AtomicReference<ByteBuffer> answer = new AtomicReference<>();
        await().until(() -> {
            answer.set(producer.acquire(0, LeaseMode.SHARED));
            return LogMessageLayout.type(answer.get()) == LogMessageType.ACQUIRED;
        });
        return producer.open(answer.get());
    }
}
