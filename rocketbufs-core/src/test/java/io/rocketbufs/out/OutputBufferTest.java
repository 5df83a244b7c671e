package io.rocketbufs.out;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.DataOutStatus;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.options.Start;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.stub.StubWorker;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class OutputBufferTest {
    private static final int CAPACITY = 100;

    private final MemoryPool pool = new MemoryPool(1 << 16);
    private final StubWorker worker = new StubWorker();
    private final List<String> reports = new ArrayList<>();
    private boolean flowControlled = true;
    private boolean coalescing = true;
    private boolean drained;
    private long memoryWhenDrained;
    private OutputBuffer buffer = buffer(64, false);

    private OutputBuffer buffer(int recordCount, boolean separate) {
        return buffer(recordCount, separate, null);
    }

    private OutputBuffer buffer(int recordCount, boolean separate, BiConsumer<Object, DataOutStatus> sink) {
        return buffer(recordCount, separate, sink, CAPACITY);
    }

    private OutputBuffer buffer(int recordCount, int capacity) {
        return buffer(recordCount, false, null, capacity);
    }

    private OutputBuffer buffer(
            int recordCount, boolean separate, BiConsumer<Object, DataOutStatus> sink, int capacity) {
        BufferOptions terms = new BufferOptions(
                flowControlled, coalescing, SlowPolicy.BLOCK, 0, 1000, 1000, false, false, 4096, 0, false);
        BufferOptions options =
                terms.withRecordCount(recordCount).withDiscardable(separate).withHold(false);
        return new OutputBuffer(
                1, pool.allocate(capacity), capacity, options, sink, () -> false, this::onDrained, new HashSet<>());
    }

    private void onDrained() {
        drained = true;
        memoryWhenDrained = pool.allocatedLength();
    }

    private OutputBuffer reporting(int recordCount) {
        return buffer(recordCount, false, (context, status) -> reports.add(context + " " + status));
    }

    private StubSubscriber subscriber() {
        return subscriber(1000);
    }

    private StubSubscriber subscriber(long capacity) {
        return new StubSubscriber(pool, worker).to(buffer.fanout(), capacity);
    }

    /** Reserves space, writes a text to it and delivers the text. */
    private long deliver(String text) {
        long position = buffer.reserve(text.length());
        assertThat(position).isNotNegative();
        return deliver(position, text.length(), text);
    }

    private long deliver(long position, long reservedLength, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i < bytes.length; i++) {
            buffer.memory().window(0).put((int) buffer.memory().offset(position + i), bytes[i]);
        }
        return buffer.deliver(position, reservedLength, bytes.length, text);
    }

    private String received(StubSubscriber subscriber) {
        worker.run();
        return subscriber.bytes.toString(StandardCharsets.US_ASCII);
    }

    @AfterEach
    void closePool() {
        pool.close();
    }

    @Nested
    class Space {
        @Test
        void shouldProvideExactlyTheCapacity() {
            StubSubscriber reader = subscriber().stopped();
            assertThat(buffer.reserve(60)).isZero();
            assertThat(buffer.reserve(41)).isEqualTo(OutputBuffer.NO_SPACE);
            assertThat(buffer.reserve(40)).isEqualTo(60);
            assertThat(buffer.reserve(1)).isEqualTo(OutputBuffer.NO_SPACE);
            buffer.deliver(0, 60, 60, null);
            buffer.deliver(60, 40, 40, null);
            worker.run();
            assertThat(buffer.reserve(1)).isEqualTo(OutputBuffer.NO_SPACE);
            assertThat(buffer.state(1).refusedCount()).isEqualTo(3);
            reader.goOn();
            assertThat(buffer.reserve(CAPACITY)).isEqualTo(100);
        }

        @Test
        void shouldRejectALengthItCouldNeverProvide() {
            assertThatThrownBy(() -> buffer.reserve(CAPACITY + 1))
                    .hasMessageContainingAll("length=101", "capacity=100");
            assertThatThrownBy(() -> buffer.reserve(0)).hasMessageContaining("length=0");
            assertThatThrownBy(() -> buffer.reserve(-1)).isInstanceOf(IllegalArgumentException.class);
        }

        @Test
        void shouldBeFreeImmediatelyWithoutSubscribers() {
            for (int i = 0; i < 1000; i++) {
                deliver("x".repeat(CAPACITY));
            }
            assertThat(buffer.state(1).deliveredLength()).isEqualTo(1000L * CAPACITY);
            assertThat(buffer.state(1).deliveredCount()).isEqualTo(1000);
        }

        @Test
        void shouldStayOccupiedUntilTheSlowestHasSent() {
            subscriber();
            StubSubscriber slow = subscriber().stopped();
            deliver("x".repeat(CAPACITY));
            worker.run();
            assertThat(buffer.reserve(1)).isEqualTo(OutputBuffer.NO_SPACE);
            slow.goOn();
            assertThat(buffer.reserve(1)).isEqualTo(CAPACITY);
        }

        @Test
        void shouldStayOccupiedUntilPostedWritesComplete() {
            StubSubscriber reader = subscriber();
            reader.answer = PostResult.POSTED;
            deliver("x".repeat(CAPACITY));
            worker.run();
            assertThat(buffer.reserve(1)).isEqualTo(OutputBuffer.NO_SPACE);
            reader.endpoint.completed(1);
            assertThat(buffer.reserve(1)).isEqualTo(CAPACITY);
        }

        @Test
        void shouldReuseTheStartOfItsMemoryWhenEmpty() {
            buffer = buffer(64, 1 << 20);
            StubSubscriber reader = subscriber(1 << 20);
            long highest = 0;
            StringBuilder expected = new StringBuilder();
            for (int i = 0; i < 2000; i++) {
                String text = i + "x".repeat(100);
                highest =
                        Math.max(highest, buffer.memory().offset(buffer.state(1).deliveredLength()));
                deliver(text);
                expected.append(text);
                worker.run();
            }
            assertThat(received(reader)).isEqualTo(expected.toString());
            assertThat(highest).isLessThan(32 << 10);
        }

        @Test
        void shouldNotReuseItsMemoryWhileASubscriberHasUnreadData() {
            buffer = buffer(64, 1 << 20);
            StubSubscriber slow = subscriber(1 << 20).stopped();
            StubSubscriber reader = subscriber(1 << 20);
            StringBuilder expected = new StringBuilder();
            for (int i = 0; i < 2000; i++) {
                String text = i + "x".repeat(100);
                deliver(text);
                expected.append(text);
                worker.run();
            }
            assertThat(received(reader)).isEqualTo(expected.toString());
            assertThat(buffer.memory().offset(expected.length())).isEqualTo(expected.length());
            slow.goOn();
            assertThat(received(slow)).isEqualTo(expected.toString());
            deliver("y".repeat(17 << 10));
            worker.run();
            assertThat(buffer.memory().offset(buffer.reserve(1))).isZero();
        }

        @Test
        void shouldBeFreeWhenTheSlowestLeaves() {
            StubSubscriber slow = subscriber().stopped();
            deliver("x".repeat(CAPACITY));
            worker.run();
            assertThat(buffer.reserve(1)).isEqualTo(OutputBuffer.NO_SPACE);
            slow.subscription.cut();
            assertThat(slow.subscription.life().undelivered()).isEqualTo(CAPACITY);
            assertThat(buffer.reserve(1)).isEqualTo(CAPACITY);
        }
    }

    @Nested
    class Reservations {
        @Test
        void shouldSendInTheOrderOfDelivery() {
            StubSubscriber reader = subscriber();
            long a = buffer.reserve(3);
            long b = buffer.reserve(3);
            long c = buffer.reserve(3);
            deliver(c, 3, "ccc");
            deliver(a, 3, "aaa");
            deliver(b, 3, "bbb");
            assertThat(received(reader)).isEqualTo("cccaaabbb");
        }

        @Test
        void shouldFreeInTheOrderOfReservation() {
            subscriber();
            long a = buffer.reserve(40);
            long b = buffer.reserve(60);
            deliver(b, 60, "b".repeat(60));
            worker.run();
            assertThat(buffer.reserve(1)).isEqualTo(OutputBuffer.NO_SPACE);
            deliver(a, 40, "a");
            worker.run();
            assertThat(buffer.reserve(CAPACITY)).isEqualTo(100);
        }

        @Test
        void shouldReleaseTheTailOfTheNewestImmediately() {
            StubSubscriber reader = subscriber().stopped();
            long a = buffer.reserve(CAPACITY);
            deliver(a, CAPACITY, "aaa");
            assertThat(buffer.reserve(97)).isEqualTo(3);
            assertThat(buffer.reserve(1)).isEqualTo(OutputBuffer.NO_SPACE);
            reader.goOn();
            assertThat(received(reader)).isEqualTo("aaa");
        }

        @Test
        void shouldReleaseTheTailOfAnOlderOneWithIt() {
            StubSubscriber reader = subscriber();
            long a = buffer.reserve(50);
            long b = buffer.reserve(50);
            deliver(a, 50, "aaa");
            assertThat(received(reader)).isEqualTo("aaa");
            assertThat(buffer.reserve(50)).isEqualTo(100);
            deliver(b, 50, "b");
            assertThat(received(reader)).isEqualTo("aaab");
        }

        @Test
        void shouldReleaseTheCancelledNewestImmediately() {
            buffer.reserve(50);
            long b = buffer.reserve(50);
            assertThat(buffer.deliver(b, 50, 0, null)).isEqualTo(-1);
            assertThat(buffer.reserve(50)).isEqualTo(50);
            assertThat(buffer.state(1).deliveredCount()).isZero();
        }

        @Test
        void shouldReleaseTheCancelledOldestImmediately() {
            long a = buffer.reserve(50);
            buffer.reserve(50);
            buffer.deliver(a, 50, 0, null);
            assertThat(buffer.reserve(50)).isEqualTo(100);
        }

        @Test
        void shouldReleaseACancelledOneInTheMiddleWithTheOlder() {
            StubSubscriber reader = subscriber();
            long a = buffer.reserve(30);
            long b = buffer.reserve(30);
            long c = buffer.reserve(40);
            buffer.deliver(b, 30, 0, null);
            assertThat(buffer.reserve(1)).isEqualTo(OutputBuffer.NO_SPACE);
            deliver(a, 30, "aaa");
            worker.run();
            assertThat(buffer.reserve(60)).isEqualTo(100);
            deliver(c, 40, "ccc");
            assertThat(received(reader)).isEqualTo("aaaccc");
        }

        @Test
        void shouldRefuseToDeliverTwice() {
            long a = buffer.reserve(10);
            buffer.deliver(a, 10, 5, null);
            assertThatThrownBy(() -> buffer.deliver(a, 10, 5, null)).isInstanceOf(IllegalStateException.class);
            assertThat(buffer.state(1).deliveredCount()).isEqualTo(1);
        }

        @Test
        void shouldRefuseToDeliverMoreThanIsReserved() {
            long a = buffer.reserve(10);
            assertThatThrownBy(() -> buffer.deliver(a, 10, 11, null)).hasMessageContaining("length=11");
            assertThatThrownBy(() -> buffer.deliver(a, 10, -1, null)).isInstanceOf(IllegalArgumentException.class);
            assertThat(buffer.deliver(a, 10, 10, null)).isNotNegative();
        }

        @Test
        void shouldHaveNoRecordWhenTooManyAreOpen() {
            for (int i = 0; i < 64; i++) {
                assertThat(buffer.reserve(1)).isEqualTo(i);
            }
            assertThat(buffer.reserve(1)).isEqualTo(OutputBuffer.NO_RECORD);
            buffer.deliver(5, 1, 0, null);
            assertThat(buffer.reserve(1)).isEqualTo(64);
        }
    }

    @Nested
    class Extension {
        @Test
        void shouldExtendTheNewest() {
            StubSubscriber reader = subscriber();
            long a = buffer.reserve(2);
            assertThat(buffer.extend(a, 2, 5)).isEqualTo(a);
            assertThat(buffer.extend(a, 5, 5)).isEqualTo(a);
            deliver(a, 5, "abcde");
            assertThat(received(reader)).isEqualTo("abcde");
        }

        @Test
        void shouldReachTheCapacity() {
            long a = buffer.reserve(2);
            assertThat(buffer.extend(a, 2, CAPACITY)).isEqualTo(a);
            assertThatThrownBy(() -> buffer.extend(a, CAPACITY, CAPACITY + 1))
                    .isInstanceOf(IllegalArgumentException.class);
        }

        @Test
        void shouldLeaveTheReservationUnchangedWithoutSpace() {
            StubSubscriber reader = subscriber().stopped();
            deliver("x".repeat(90));
            worker.run();
            long a = buffer.reserve(5);
            assertThat(buffer.extend(a, 5, 11)).isEqualTo(OutputBuffer.NO_SPACE);
            assertThat(buffer.extend(a, 5, 10)).isEqualTo(a);
            deliver(a, 10, "0123456789");
            reader.goOn();
            assertThat(received(reader)).endsWith("x0123456789");
        }

        @Test
        void shouldRefuseAnyButTheNewest() {
            long a = buffer.reserve(2);
            buffer.reserve(2);
            assertThatThrownBy(() -> buffer.extend(a, 2, 4)).hasMessageContaining("only the newest");
            assertThatThrownBy(() -> buffer.extend(50, 2, 4)).isInstanceOf(IllegalStateException.class);
        }

        @Test
        void shouldRefuseToMakeShorter() {
            long a = buffer.reserve(5);
            assertThatThrownBy(() -> buffer.extend(a, 5, 4)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Nested
    class Records {
        @Test
        void shouldRunOutWhenDeliveriesAreSeparate() {
            buffer = buffer(8, true);
            StubSubscriber reader = subscriber().stopped();
            int count = 0;
            while (buffer.reserve(1) >= 0) {
                buffer.deliver(count, 1, 1, null);
                count++;
            }
            assertThat(count).isBetween(7, 8);
            assertThat(buffer.reserve(1)).isEqualTo(OutputBuffer.NO_RECORD);
            reader.goOn();
            assertThat(buffer.reserve(1)).isEqualTo(count);
        }

        @Test
        void shouldNotRunOutWhenDeliveriesMerge() {
            buffer = buffer(2, false);
            subscriber().stopped();
            for (int i = 0; i < 25; i++) {
                deliver("x");
            }
            assertThat(buffer.state(1).deliveredCount()).isEqualTo(25);
        }

        @Test
        void shouldBeKeptForOpenReservations() {
            buffer = buffer(4, true);
            subscriber().stopped();
            long a = buffer.reserve(1);
            long b = buffer.reserve(1);
            long c = buffer.reserve(1);
            long d = buffer.reserve(1);
            assertThat(d).isEqualTo(3);
            assertThat(buffer.reserve(1)).isEqualTo(OutputBuffer.NO_RECORD);
            for (long each : new long[] {d, c, b, a}) {
                deliver(each, 1, "x");
            }
            worker.run();
        }

        @Test
        void shouldWaitForReports() {
            buffer = reporting(4);
            subscriber();
            for (int i = 0; i < 3; i++) {
                deliver("" + i);
            }
            assertThat(buffer.reserve(1)).isNotNegative();
            assertThat(buffer.reserve(1)).isEqualTo(OutputBuffer.NO_RECORD);
            worker.run();
            assertThat(reports).containsExactly("0 SENT", "1 SENT", "2 SENT");
            assertThat(buffer.reserve(1)).isNotNegative();
        }
    }

    @Nested
    class Reports {
        @Test
        void shouldReportThatThereWasNoSubscriber() {
            buffer = reporting(4);
            for (int i = 0; i < 20; i++) {
                deliver("" + i);
            }
            assertThat(reports).hasSize(20).startsWith("0 NO_SUBSCRIBER").endsWith("19 NO_SUBSCRIBER");
        }

        @Test
        void shouldArriveInOrderWhenTheSlowestHasSent() {
            buffer = reporting(16);
            subscriber();
            StubSubscriber slow = subscriber().stopped();
            deliver("a");
            deliver("b");
            worker.run();
            assertThat(reports).isEmpty();
            slow.goOn();
            assertThat(reports).containsExactly("a SENT", "b SENT");
        }

        @Test
        void shouldReportThatASubscriberWasLost() {
            buffer = reporting(16);
            StubSubscriber reader = subscriber();
            deliver("a");
            worker.run();
            reader.stopped();
            deliver("b");
            worker.run();
            reader.subscription.cut();
            worker.run();
            assertThat(reports).containsExactly("a SENT", "b LOST");
        }
    }

    @Nested
    class FailingReports {
        @Test
        void shouldContinueWhenACallbackThrows() {
            buffer = buffer(16, false, (context, status) -> {
                reports.add(context + " " + status);
                throw new IllegalStateException("no " + context);
            });
            StubSubscriber reader = subscriber().stopped();
            deliver("a");
            deliver("b");
            worker.run();
            assertThatThrownBy(reader::goOn).hasMessage("no b");
            deliver("c");
            assertThatThrownBy(worker::run).hasMessage("no c");
            assertThat(reports).containsExactly("a SENT", "b SENT", "c SENT");
        }
    }

    @Nested
    class Discarding {
        @Test
        void shouldNotSendDiscardedDeliveries() {
            buffer = reporting(16);
            StubSubscriber reader = subscriber().stopped();
            deliver("a");
            long b = deliver("b");
            deliver("c");
            worker.run();
            assertThat(buffer.discard(b)).isTrue();
            assertThat(buffer.discard(b)).isFalse();
            reader.goOn();
            assertThat(received(reader)).isEqualTo("ac");
            assertThat(reports).containsExactly("a SENT", "b DISCARDED", "c SENT");
        }

        @Test
        void shouldFreeTheSpaceImmediatelyWhenNothingElseWaits() {
            buffer = reporting(16);
            StubSubscriber reader = new StubSubscriber(pool, worker).to(buffer.fanout(), 10);
            deliver("0123456789");
            worker.run();
            long waiting = deliver("x".repeat(10));
            worker.run();
            assertThat(reader.bytes.size()).isEqualTo(10);
            assertThat(buffer.discard(waiting)).isTrue();
            worker.run();
            assertThat(reports).containsExactly("0123456789 SENT", "xxxxxxxxxx DISCARDED");
            assertThat(reader.subscription.pendingLength()).isZero();
            assertThat(buffer.reserve(CAPACITY)).isEqualTo(20);
        }

        @Test
        void shouldFreeTheSpaceAfterWritesInFlight() {
            buffer = reporting(16);
            StubSubscriber reader = subscriber();
            reader.answer = PostResult.POSTED;
            deliver("a");
            worker.run();
            reader.stopped();
            long b = deliver("b");
            worker.run();
            assertThat(buffer.discard(b)).isTrue();
            reader.goOn();
            assertThat(reports).isEmpty();
            reader.endpoint.completed(1);
            worker.run();
            assertThat(reports).containsExactly("a SENT", "b DISCARDED");
        }

        @Test
        void shouldFinishATransferThatHasBegun() {
            buffer = reporting(16);
            StubSubscriber reader = new StubSubscriber(pool, worker, 4).to(buffer.fanout(), 1000);
            reader.stopped();
            deliver("aaaa");
            long begun = deliver("bbbb");
            worker.run();
            reader.answer = PostResult.SENT;
            reader.stopAfter(1);
            reader.endpoint.writable();
            assertThat(buffer.discard(begun)).isTrue();
            reader.goOn();
            deliver("cccc");
            assertThat(received(reader)).isEqualTo("aaaabbbbcccc");
            assertThat(reader.subscription.state().transferCount()).isEqualTo(2);
        }

        @Test
        void shouldBeTooLateWhenAllHaveSent() {
            buffer = reporting(16);
            subscriber();
            long a = deliver("a");
            assertThat(buffer.discard(a)).isFalse();
            worker.run();
            assertThat(reports).containsExactly("a SENT");
        }

        @Test
        void shouldNotBePossibleWhenDeliveriesMerge() {
            subscriber().stopped();
            assertThat(buffer.discard(deliver("a"))).isFalse();
        }
    }

    @Nested
    class Joining {
        @Test
        void shouldSendNewDeliveriesToALateSubscriber() {
            StubSubscriber early = subscriber();
            deliver("a");
            StubSubscriber late = subscriber();
            deliver("b");
            assertThat(received(early)).isEqualTo("ab");
            assertThat(received(late)).isEqualTo("b");
        }

        @Test
        void shouldSendHeldDataToTheFirstSubscriber() {
            buffer.fanout().expect(null);
            deliver("a");
            deliver("b");
            assertThat(received(subscriber())).isEqualTo("ab");
            assertThat(received(subscriber())).isEmpty();
        }

        @Test
        void shouldDelayTheProducerUntilASubscriberJoins() {
            buffer.fanout().expect(null);
            deliver("x".repeat(CAPACITY));
            assertThat(buffer.reserve(1)).isEqualTo(OutputBuffer.NO_SPACE);
            subscriber();
            assertThat(buffer.reserve(1)).isEqualTo(CAPACITY);
        }

        @Test
        void shouldHoldSmallDeliveriesForASubscriberWithASmallBuffer() {
            buffer.fanout().expect(null);
            for (int i = 0; i < 12; i++) {
                deliver("ab");
            }
            StubSubscriber small = new StubSubscriber(pool, worker).to(buffer.fanout(), 8);
            for (int i = 0; i < 20; i++) {
                worker.run();
                small.consumeAll();
            }
            assertThat(received(small)).isEqualTo("ab".repeat(12));
            assertThat(small.writeLengths).containsOnly(2);
        }

        @Test
        void shouldHoldFromADeliveryBoundaryOn() {
            StubSubscriber slow = new StubSubscriber(pool, worker).to(buffer.fanout(), 1000);
            slow.stopped();
            deliver("old");
            worker.run();
            StubSubscriber expected = new StubSubscriber(pool, worker);
            buffer.fanout().expect(expected.endpoint.link());
            deliver("new");
            expected.to(buffer.fanout(), 1000);
            assertThat(received(expected)).isEqualTo("new");
            slow.goOn();
            assertThat(received(slow)).isEqualTo("oldnew");
        }

        @Test
        void shouldKeepNoOtherPositionForAConnectionThatHasSubscribed() {
            buffer.fanout().expect(null);
            deliver("a");
            StubSubscriber expected = new StubSubscriber(pool, worker);
            buffer.fanout().expect(expected.endpoint.link());
            deliver("b");
            expected.to(buffer.fanout(), 1000);
            assertThat(received(expected)).isEqualTo("ab");
            assertThat(buffer.reserve(CAPACITY)).isEqualTo(2);
        }
    }

    @Nested
    class Overwriting {
        private StubSubscriber reader;

        Overwriting() {
            flowControlled = false;
            buffer = buffer(64, false);
            reader = subscriber();
        }

        @Test
        void shouldSkipTheOldestDataForASlowSubscriber() {
            reader.stopped();
            deliver("a".repeat(60));
            worker.run();
            deliver("b".repeat(40));
            deliver("c".repeat(30));
            reader.goOn();
            assertThat(received(reader)).isEqualTo("b".repeat(40) + "c".repeat(30));
            assertThat(reader.subscription.state().lostLength()).isEqualTo(60);
        }

        @Test
        void shouldNotReuseMemoryThatIsBeingSent() {
            reader.answer = PostResult.POSTED;
            deliver("a".repeat(60));
            worker.run();
            assertThat(buffer.reserve(60)).isEqualTo(OutputBuffer.WRITES_PENDING);
            assertThat(buffer.reserve(40)).isEqualTo(60);
            reader.endpoint.completed(1);
            assertThat(buffer.reserve(60)).isEqualTo(100);
        }

        @Test
        void shouldReuseMemoryThatTheTransportWithdraws() {
            reader.answer = PostResult.POSTED;
            deliver("a".repeat(60));
            worker.run();
            reader.connection.withdrawn(1);
            assertThat(buffer.reserve(60)).isEqualTo(60);
        }

        @Test
        void shouldNotHoldDataForASubscriberThatDoesNotJoin() {
            buffer.fanout().expect(null);
            for (int i = 0; i < 10; i++) {
                deliver("x".repeat(CAPACITY));
                worker.run();
            }
            assertThat(buffer.state(1).deliveredCount()).isEqualTo(10);
        }
    }

    @Nested
    class End {
        @Test
        void shouldRefuseReservationsWhenEnded() {
            buffer.end();
            assertThat(buffer.reserve(1)).isEqualTo(OutputBuffer.CLOSED);
            assertThat(drained).isTrue();
        }

        @Test
        void shouldFreeItsIdBeforeItsMemory() {
            buffer.end();
            assertThat(drained).isTrue();
            assertThat(memoryWhenDrained).isPositive();
            assertThat(pool.allocatedLength()).isZero();
        }

        @Test
        void shouldFreeTheMemoryWhenAllDataIsSent() {
            StubSubscriber reader = subscriber().stopped();
            deliver("abc");
            buffer.end();
            worker.run();
            assertThat(drained).isFalse();
            reader.goOn();
            assertThat(received(reader)).isEqualTo("abc");
            assertThat(drained).isTrue();
        }

        @Test
        void shouldFreeTheMemoryOnlyWhenPostedWritesHaveCompleted() {
            StubSubscriber reader = subscriber();
            reader.answer = PostResult.POSTED;
            deliver("abc");
            buffer.end();
            worker.run();
            assertThat(drained).isFalse();
            reader.endpoint.completed(1);
            worker.run();
            assertThat(drained).isTrue();
        }

        @Test
        void shouldKeepTheMemoryForPostedWritesOfASubscriberThatLeaves() {
            StubSubscriber reader = subscriber();
            reader.answer = PostResult.POSTED;
            deliver("x".repeat(CAPACITY));
            worker.run();
            reader.subscription.onUnsubscribe();
            worker.run();
            assertThat(buffer.reserve(1)).isEqualTo(OutputBuffer.NO_SPACE);
            reader.endpoint.completed(1);
            worker.run();
            assertThat(buffer.reserve(1)).isEqualTo(CAPACITY);
        }
    }

    @Test
    void shouldNotDiscardADeliveryWhoseStatusWasReported() {
        BufferOptions keeping = BufferOptions.DEFAULTS.withDiscardable(true).withKeep(CAPACITY);
        buffer = new OutputBuffer(
                1,
                pool.allocate(2 * CAPACITY),
                CAPACITY,
                keeping,
                (context, status) -> reports.add(context + " " + status),
                () -> false,
                this::onDrained,
                new HashSet<>());
        StubSubscriber early = subscriber();
        long number = deliver("one");
        assertThat(received(early)).isEqualTo("one");
        assertThat(reports).containsExactly("one SENT");
        StubSubscriber late = new StubSubscriber(pool, worker).stopped();
        late.to(buffer.fanout(), 1000, SlowPolicy.BLOCK, Start.OLDEST);
        assertThat(buffer.discard(number)).isFalse();
        late.goOn();
        assertThat(received(late)).isEqualTo("one");
    }
}
