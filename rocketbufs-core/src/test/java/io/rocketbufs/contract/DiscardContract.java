package io.rocketbufs.contract;

import static io.rocketbufs.contract.Stage.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.Segment;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.DataOutStatus;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that a delivery discarded in time is not sent, uses no space, and does not affect other deliveries. */
class DiscardContract {
    private static final BufferOptions DISCARDABLE = BufferOptions.DEFAULTS.withDiscardable(true);
    private static final int LENGTH = Integer.BYTES;

    private final Stage stage;
    private Node sending;
    private Node receiving;

    DiscardContract(Stage stage) {
        this.stage = stage;
    }

    @BeforeEach
    void open() {
        sending = stage.node();
        receiving = stage.node();
    }

    /** A subscriber that records the numbers that it receives, and consumes on request. */
    private static final class Numbers {
        private final Inbox inbox;
        private final List<Integer> numbers = Collections.synchronizedList(new ArrayList<>());
        private int consumed;

        Numbers(Inbox inbox, int capacity) {
            this.inbox = inbox;
            inbox.in().setDataInCallback((bufferId, data) -> {
                for (long i = 0; i < data.length(); i += LENGTH) {
                    numbers.add(data.getInt(i));
                }
            });
            Stage.get(inbox.in().subscribe(1, (long) capacity * LENGTH));
        }

        Numbers await(int count) {
            eventually(() -> numbers.size() >= count, () -> count + " numbers, now " + numbers);
            return this;
        }

        /** Consumes everything received so far. */
        void consume() {
            int count = numbers.size() - consumed;
            consumed += count;
            inbox.in().dataConsumed(1, (long) count * LENGTH);
        }

        /** Consumes arriving data until the given number has arrived. */
        void consumeUntil(int last) {
            eventually(
                    () -> {
                        consume();
                        return numbers.contains(last);
                    },
                    () -> last + " at the end of " + numbers);
        }
    }

    private Numbers subscribe(int capacity) {
        return new Numbers(receiving.inbox(sending), capacity);
    }

    /** Delivers a number. Returns the identifier of the delivery, or -1 if there is no space. */
    private long deliver(int number) {
        Segment segment = sending.out().getOutputSegment(1, LENGTH, false);
        if (segment.vecCount() < 0) {
            return -1;
        }
        segment.putInt(0, number);
        return sending.out().deliver(segment, LENGTH, number);
    }

    private boolean discard(long delivery) {
        return sending.out().discard(1, delivery);
    }

    @Test
    void shouldNotSendADiscardedDelivery() {
        sending.out().createBuffer(1, 1000, DISCARDABLE);
        Numbers received = subscribe(2);
        long[] deliveries = IntStream.range(0, 10).mapToLong(this::deliver).toArray();
        received.await(2);
        assertThat(discard(deliveries[4])).isTrue();
        assertThat(discard(deliveries[5])).isTrue();
        assertThat(discard(deliveries[7])).isTrue();
        received.consumeUntil(9);
        assertThat(received.numbers).containsExactly(0, 1, 2, 3, 6, 8, 9);
    }

    @Test
    void shouldDiscardOnce() {
        sending.out().createBuffer(1, 1000, DISCARDABLE);
        Numbers received = subscribe(1);
        deliver(0);
        received.await(1);
        long delivery = deliver(1);
        assertThat(discard(delivery)).isTrue();
        assertThat(discard(delivery)).isFalse();
        deliver(2);
        received.consumeUntil(2);
        assertThat(received.numbers).containsExactly(0, 2);
    }

    @Test
    void shouldDiscardTheNewestDelivery() {
        sending.out().createBuffer(1, 1000, DISCARDABLE);
        Numbers received = subscribe(1);
        deliver(0);
        received.await(1);
        assertThat(discard(deliver(1))).isTrue();
        received.consume();
        deliver(2);
        received.consumeUntil(2);
        assertThat(received.numbers).containsExactly(0, 2);
    }

    @Test
    void shouldNotDiscardSentOrUnknownDeliveries() {
        sending.out().createBuffer(1, 1000, DISCARDABLE);
        Numbers received = subscribe(10);
        long delivery = deliver(0);
        received.await(1);
        // The data may arrive before the sender is notified that the write has completed.
        eventually(() -> sending.out().subscriptions().get(0).pendingLength() == 0);
        assertThat(discard(delivery)).isFalse();
        assertThat(discard(delivery + 1)).isFalse();
        assertThat(discard(-1)).isFalse();
    }

    @Test
    void shouldNotDiscardUnlessTheOptionIsSet() {
        sending.out().createBuffer(1, 1000);
        Numbers received = subscribe(1);
        deliver(0);
        received.await(1);
        assertThat(discard(deliver(1))).isFalse();
        received.consumeUntil(1);
    }

    @Test
    void shouldFreeTheSpaceOfADiscardedDelivery() {
        sending.out().createBuffer(1, 10 * LENGTH, DISCARDABLE);
        Numbers received = subscribe(1);
        deliver(0);
        received.await(1);
        List<Long> pending = new ArrayList<>();
        eventually(() -> {
            long delivery = deliver(1);
            if (delivery >= 0) {
                pending.add(delivery);
            }
            return pending.size() == 10;
        });
        assertThat(deliver(2)).isEqualTo(-1);
        pending.forEach(delivery -> assertThat(discard(delivery)).isTrue());
        eventually(() -> deliver(3) >= 0);
        received.consumeUntil(3);
        assertThat(received.numbers).containsExactly(0, 3);
    }

    @Test
    void shouldDiscardForSubscribersToWhichTheTransferHasNotBegun() {
        sending.out().createBuffer(1, 1000, DISCARDABLE);
        Numbers slow = subscribe(1);
        Numbers fast = subscribe(10);
        long[] deliveries = IntStream.range(0, 4).mapToLong(this::deliver).toArray();
        fast.await(4);
        slow.await(1);
        assertThat(discard(deliveries[2])).isTrue();
        slow.consumeUntil(3);
        assertThat(slow.numbers).containsExactly(0, 1, 3);
        assertThat(fast.numbers).containsExactly(0, 1, 2, 3);
    }

    @Test
    void shouldReportADiscardedDeliveryInOrder() {
        List<String> reports = Collections.synchronizedList(new ArrayList<>());
        sending.out().setDataOutCallback((context, status) -> reports.add(context + " " + status));
        sending.out().createBuffer(1, 1000, DISCARDABLE);
        Numbers received = subscribe(1);
        long[] deliveries = IntStream.range(0, 4).mapToLong(this::deliver).toArray();
        received.await(1);
        assertThat(discard(deliveries[2])).isTrue();
        received.consumeUntil(3);
        eventually(() -> reports.size() == 4);
        assertThat(reports)
                .containsExactly(
                        "0 " + DataOutStatus.SENT,
                        "1 " + DataOutStatus.SENT,
                        "2 " + DataOutStatus.DISCARDED,
                        "3 " + DataOutStatus.SENT);
    }

    @Test
    void shouldEndABufferWhoseRemainingDeliveriesAreDiscarded() {
        sending.out().createBuffer(1, 1000, DISCARDABLE);
        Received received = receiving.inbox(sending).of(1).holding().subscribe(LENGTH);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(LENGTH);
        received.awaitAll(sent);
        assertThat(discard(deliver(1))).isTrue();
        sending.out().removeBuffer(1);
        received.awaitEnd(sent);
    }

    @Test
    void shouldSurviveRandomDiscards() {
        Random random = new Random(3);
        sending.out().createBuffer(1, 50 * LENGTH, DISCARDABLE.withRecordCount(16));
        Numbers received = subscribe(3);
        Set<Integer> takenBack = new HashSet<>();
        List<Long> deliveries = new ArrayList<>();
        while (deliveries.size() < 1000) {
            long delivery = deliver(deliveries.size());
            if (delivery >= 0) {
                deliveries.add(delivery);
            } else {
                received.consume();
            }
            int number = Math.max(0, deliveries.size() - 1 - random.nextInt(20));
            if (random.nextInt(3) == 0 && !deliveries.isEmpty() && discard(deliveries.get(number))) {
                takenBack.add(number);
            }
        }
        eventually(() -> {
            received.consume();
            return deliver(1000) >= 0;
        });
        received.consumeUntil(1000);
        assertThat(received.numbers).isSorted().doesNotHaveDuplicates();
        IntStream.range(0, 1000)
                .filter(number -> !takenBack.contains(number))
                .forEach(number -> assertThat(received.numbers).contains(number));
    }
}
