package io.rocketbufs.contract;

import static io.rocketbufs.contract.Stage.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.rocketbufs.Segment;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.DataOutStatus;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Deliveries that are made with one call are separate deliveries. */
class BatchContract {
    private final Stage stage;
    private final List<String> reports = Collections.synchronizedList(new ArrayList<>());
    private Node sending;
    private Node receiving;
    private Sent sent;

    BatchContract(Stage stage) {
        this.stage = stage;
    }

    @BeforeEach
    void open() {
        sending = stage.node();
        receiving = stage.node();
        sent = new Sent(sending.out(), 1, 0);
    }

    private void report() {
        sending.out().setDataOutCallback((context, status) -> reports.add(context + " " + status));
    }

    private Segment segment(long length) {
        Segment segment = sending.out().getOutputSegment(1, length, true);
        assertThat(segment.vecCount()).isPositive();
        return segment;
    }

    private static int[] lengths(int length, int count) {
        int[] lengths = new int[count];
        Arrays.fill(lengths, length);
        return lengths;
    }

    /** Makes deliveries of ten bytes each, with their numbers as contexts. */
    private void deliverTens(int count) {
        int first = sent.count();
        Object[] contexts = IntStream.range(first, first + count).boxed().toArray();
        assertThat(sent.deliverAll(segment(10L * count), lengths(10, count), contexts))
                .isEqualTo(count);
    }

    @Test
    void shouldSendEachDeliveryAsOneTransferWithoutCoalescing() {
        sending.out().createBuffer(1, 1000, BufferOptions.DEFAULTS.withCoalescing(false));
        Received received = receiving.subscribe(sending, 1, 500);
        int[] lengths = {1, 200, 30, 4, 100, 1};
        List<Long> expected = new ArrayList<>();
        // Some of these segments wrap around the end of the buffer.
        for (int i = 0; i < 20; i++) {
            sent.deliverAll(segment(336), lengths, null);
            Arrays.stream(lengths).forEach(length -> expected.add((long) length));
        }
        received.awaitAll(sent);
        assertThat(received.transfers()).isEqualTo(expected);
    }

    @Test
    void shouldCoalesceOnlyWithinTheLimitOfEachSubscriber() {
        sending.out().createBuffer(1, 10_000);
        Received small = receiving.inbox(sending).of(1).holding().subscribe(400);
        Received large = receiving.subscribe(sending, 1, 10_000);
        for (int i = 0; i < 10; i++) {
            sent.deliverAll(segment(2000), lengths(20, 100), null);
            large.awaitAll(sent);
            if (i == 0) {
                small.release();
            }
        }
        small.awaitAll(sent);
        assertThat(small.transfers()).allMatch(length -> length <= 100);
    }

    @Test
    void shouldReportEachDeliveryWithItsContext() {
        report();
        sending.out().createBuffer(1, 1000);
        deliverTens(5);
        Received received = receiving.inbox(sending).of(1).from(sent.length()).subscribe(500);
        deliverTens(20);
        deliverTens(1);
        received.awaitAll(sent);
        eventually(() -> reports.size() == 26);
        assertThat(reports)
                .isEqualTo(IntStream.range(0, 26)
                        .mapToObj(i -> i + " " + (i < 5 ? DataOutStatus.NO_SUBSCRIBER : DataOutStatus.SENT))
                        .toList());
    }

    @Test
    void shouldDiscardSingleDeliveries() {
        report();
        sending.out().createBuffer(1, 1000, BufferOptions.DEFAULTS.withDiscardable(true));
        List<Integer> numbers = Collections.synchronizedList(new ArrayList<>());
        Inbox inbox = receiving.inbox(sending);
        inbox.in().setDataInCallback((bufferId, data) -> {
            for (long i = 0; i < data.length(); i += Integer.BYTES) {
                numbers.add(data.getInt(i));
            }
        });
        Stage.get(inbox.in().subscribe(1, 2L * Integer.BYTES));
        Segment segment = segment(10L * Integer.BYTES);
        for (int i = 0; i < 10; i++) {
            segment.putInt((long) i * Integer.BYTES, i);
        }
        sending.out().deliverAll(segment, lengths(Integer.BYTES, 10), 10, null);
        long last = sending.out().lastDelivery(1);
        eventually(() -> numbers.size() == 2);
        assertThat(sending.out().discard(1, last)).isTrue();
        assertThat(sending.out().discard(1, last - 4)).isTrue();
        assertThat(sending.out().discard(1, last - 9)).isFalse();
        for (int i = 2; i < 8; i += 2) {
            int count = i;
            inbox.in().dataConsumed(1, 2L * Integer.BYTES);
            eventually(() -> numbers.size() == count + 2);
        }
        assertThat(numbers).containsExactly(0, 1, 2, 3, 4, 6, 7, 8);
        eventually(() -> reports.size() == 10);
        assertThat(reports.get(5)).endsWith("DISCARDED");
        assertThat(reports.get(9)).endsWith("DISCARDED");
    }

    @Test
    void shouldMakeFewerDeliveriesWhenTooManyArePending() {
        report();
        sending.out().createBuffer(1, 1000, BufferOptions.DEFAULTS.withRecordCount(8));
        Received received = receiving.inbox(sending).of(1).holding().subscribe(20);
        Segment segment = segment(300);
        int made = sent.deliverAll(
                segment, lengths(10, 30), IntStream.range(0, 30).boxed().toArray());
        assertThat(made).isBetween(6, 8);
        assertThat(segment.length()).isEqualTo(300 - 10 * made);
        int[] total = {made};
        received.release();
        eventually(() -> {
            int rest = 30 - total[0];
            Object[] contexts = IntStream.range(total[0], 30).boxed().toArray();
            total[0] += rest == 0 ? 0 : sent.deliverRest(segment, lengths(10, rest), contexts);
            return total[0] == 30;
        });
        received.awaitAll(sent);
        eventually(() -> reports.size() == 30);
        assertThat(reports)
                .isEqualTo(IntStream.range(0, 30).mapToObj(i -> i + " SENT").toList());
        assertThatIllegalStateException().isThrownBy(() -> sending.out().deliver(segment, 0));
    }

    @Test
    void shouldCancelTheRestThatThereWasNoRoomFor() {
        sending.out()
                .createBuffer(
                        1, 1000, BufferOptions.DEFAULTS.withCoalescing(false).withRecordCount(4));
        Received received = receiving.inbox(sending).of(1).holding().subscribe(20);
        Segment segment = segment(1000);
        int made = sent.deliverAll(segment, lengths(10, 100), null);
        assertThat(made).isBetween(2, 4);
        sending.out().deliver(segment, 0);
        received.release();
        received.awaitAll(sent);
        // The space of the rest is free again.
        sending.out().deliver(segment(950), 0);
    }

    @Test
    void shouldMergeIntoFewRecordsSoThatManyDeliveriesFit() {
        sending.out().createBuffer(1, 10_000);
        Received received = receiving.inbox(sending).of(1).holding().subscribe(10_000);
        assertThat(sent.deliverAll(segment(10_000), lengths(1, 10_000), null)).isEqualTo(10_000);
        received.awaitAll(sent);
    }

    @Test
    void shouldDeliverInTheOrderOfTheCallsAndFreeTheSpaceOfAllSegments() {
        sending.out().createBuffer(1, 1000);
        Received received = receiving.subscribe(sending, 1, 500);
        for (int i = 0; i < 50; i++) {
            Segment first = segment(100);
            Segment second = segment(200);
            Segment third = segment(100);
            sent.deliverAll(second, lengths(40, 4), null);
            sent.deliverAll(third, lengths(25, 4), null);
            sent.deliverAll(first, lengths(3, 7), null);
        }
        received.awaitAll(sent);
        sent.deliver(450);
        received.awaitAll(sent);
    }

    @Test
    void shouldChangeNothingWhenTheArgumentsAreWrong() {
        sending.out()
                .createBuffer(
                        1, 1000, BufferOptions.DEFAULTS.withCoalescing(false).withRecordCount(2));
        Received received = receiving.subscribe(sending, 1, 500);
        Segment segment = segment(100);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> sending.out().deliverAll(segment, new int[] {50, 51}, 2, null))
                .withMessageContaining("101");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> sending.out().deliverAll(segment, new int[] {50, 0}, 2, null))
                .withMessageContaining("lengths[1]=0");
        assertThatIllegalArgumentException().isThrownBy(() -> sending.out().deliverAll(segment, new int[1], 0, null));
        assertThat(sent.deliverAll(segment, new int[] {100}, null)).isEqualTo(1);
        received.awaitAll(sent);
        assertThatIllegalStateException().isThrownBy(() -> sending.out().deliverAll(segment, new int[] {100}, 1, null));
        Segment other = segment(100);
        assertThatIllegalStateException()
                .isThrownBy(() -> sending.out().deliverAll(other, new int[] {50, 50}, 2, null))
                .withMessageContaining("never room");
        assertThat(sent.deliverAll(other, new int[] {100}, null)).isEqualTo(1);
        received.awaitAll(sent);
    }

    @Test
    void shouldReleaseTheMemoryOfARemovedBufferAfterTheRestOfABatch() {
        sending.out()
                .createBuffer(
                        1, 1000, BufferOptions.DEFAULTS.withCoalescing(false).withRecordCount(4));
        Received received = receiving.inbox(sending).of(1).holding().subscribe(20);
        Segment segment = segment(1000);
        int made = sent.deliverAll(segment, lengths(10, 100), null);
        sending.out().removeBuffer(1);
        received.release();
        received.awaitPosition(10L * made);
        eventually(received::isEnded);
        int[] total = {made};
        eventually(() -> {
            total[0] += sending.out().deliverAll(segment, lengths(10, 100 - total[0]), 100 - total[0], null);
            return total[0] == 100;
        });
        assertThat(received.length()).isEqualTo(10L * made);
    }
}
