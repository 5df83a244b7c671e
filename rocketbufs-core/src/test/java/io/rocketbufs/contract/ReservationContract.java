package io.rocketbufs.contract;

import static io.rocketbufs.contract.Stage.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.Segment;
import io.rocketbufs.options.BufferOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that segments are reserved in one order and delivered in any order, and that they may be shortened, extended
 * and cancelled.
 */
class ReservationContract {
    private final Stage stage;
    private Node sending;
    private Node receiving;
    private Sent sent;

    ReservationContract(Stage stage) {
        this.stage = stage;
    }

    @BeforeEach
    void open() {
        sending = stage.node();
        receiving = stage.node();
        sent = new Sent(sending.out(), 1, 0);
    }

    private Segment take(int length) {
        return sending.out().getOutputSegment(1, length, false);
    }

    private void cancel(Segment segment) {
        assertThat(sending.out().deliver(segment, 0)).isEqualTo(-1);
    }

    @Test
    void shouldSendInTheOrderOfDelivery() {
        sending.out().createBuffer(1, 1000);
        Received received = receiving.subscribe(sending, 1, 1000);
        for (int i = 0; i < 200; i++) {
            Segment a = sending.out().getOutputSegment(1, 100, true);
            Segment b = sending.out().getOutputSegment(1, 130, true);
            Segment c = sending.out().getOutputSegment(1, 70, true);
            sent.deliver(b, 130).deliver(c, 70).deliver(a, 100);
        }
        received.awaitAll(sent);
    }

    @Test
    void shouldFreeSpaceInTheOrderOfReservation() {
        sending.out().createBuffer(1, 100);
        Received received = receiving.subscribe(sending, 1, 1000);
        Segment first = take(50);
        sent.deliver(take(50), 50);
        received.awaitAll(sent);
        assertThat(take(1)).isSameAs(Segment.NO_SPACE);
        sent.deliver(first, 50);
        eventually(() -> sent.offer(100));
        received.awaitAll(sent);
    }

    @Test
    void shouldReleaseTheRestOfTheNewestSegmentImmediately() {
        sending.out().createBuffer(1, 100, BufferOptions.DEFAULTS.withHold(true));
        sent.deliver(take(100), 10);
        Segment rest = take(90);
        assertThat(rest.vecCount()).isEqualTo(1);
        sent.deliver(rest, 90);
        assertThat(take(1)).isSameAs(Segment.NO_SPACE);
        receiving.subscribe(sending, 1, 100).awaitAll(sent);
    }

    @Test
    void shouldReleaseTheRestOfAnOlderSegmentWithTheSegment() {
        sending.out().createBuffer(1, 100, BufferOptions.DEFAULTS.withHold(true));
        Segment older = take(40);
        Segment newer = take(40);
        sent.deliver(older, 10).deliver(newer, 40);
        assertThat(take(21)).isSameAs(Segment.NO_SPACE);
        cancel(take(20));
        receiving.subscribe(sending, 1, 100).awaitAll(sent);
        eventually(() -> sent.offer(100));
    }

    @Test
    void shouldReleaseTheSpaceOfCancelledSegments() {
        sending.out().createBuffer(1, 100);
        Received received = receiving.subscribe(sending, 1, 100);
        Segment older = take(40);
        Segment newer = take(60);
        cancel(newer);
        newer = take(60);
        cancel(older);
        sent.deliver(newer, 60);
        received.awaitAll(sent);
        eventually(() -> sent.offer(100));
        received.awaitAll(sent);
    }

    @Test
    void shouldExtendTheNewestSegment() {
        sending.out().createBuffer(1, 100);
        Received received = receiving.subscribe(sending, 1, 100);
        Segment older = take(10);
        Segment segment = take(10);
        segment.putInt(6, 12345);
        assertThat(sending.out().extend(segment, 80)).isSameAs(segment);
        assertThat(segment.length()).isEqualTo(80);
        assertThat(segment.getInt(6)).isEqualTo(12345);
        assertThat(sending.out().extend(segment, 91)).isSameAs(Segment.NO_SPACE);
        assertThat(segment.length()).isEqualTo(80);
        assertThatThrownBy(() -> sending.out().extend(older, 20)).isInstanceOf(IllegalArgumentException.class);
        sent.deliver(segment, 80).deliver(older, 10);
        received.awaitAll(sent);
    }

    @Test
    void shouldRejectMistakes() {
        sending.out().createBuffer(1, 100);
        assertThatThrownBy(() -> take(101)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> take(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> sending.out().getOutputSegment(2, 1, false))
                .isInstanceOf(IllegalArgumentException.class);
        Segment segment = take(10);
        assertThatThrownBy(() -> sending.out().deliver(segment, 11)).isInstanceOf(IllegalArgumentException.class);
        sent.deliver(segment, 10);
        assertThatThrownBy(() -> sending.out().deliver(segment, 10)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void shouldRunOutOfRecordsRatherThanMergeDeliveries() {
        sending.out()
                .createBuffer(
                        1, 10_000, BufferOptions.DEFAULTS.withCoalescing(false).withRecordCount(16));
        Received received = receiving.inbox(sending).of(1).holding().subscribe(50);
        sent.deliver(10, 5);
        received.awaitPosition(50);
        // The data may arrive before the sender is notified that the write has completed.
        eventually(() -> sending.out().subscriptions().get(0).pendingLength() == 0);
        sent.fill(10);
        assertThat(take(10)).isSameAs(Segment.NO_RECORD);
        assertThat(sent.count()).isBetween(5 + 14, 5 + 17);
        received.release();
        received.awaitAll(sent.deliver(10, 100));
    }

    @Test
    void shouldAllowAnyNumberOfOpenSegmentsUpToALimit() {
        sending.out().createBuffer(1, 10_000);
        Received received = receiving.subscribe(sending, 1, 1000);
        List<Segment> open = new ArrayList<>();
        Segment segment = take(10);
        for (; segment.vecCount() > 0; segment = take(10)) {
            open.add(segment);
        }
        assertThat(segment).isSameAs(Segment.NO_RECORD);
        assertThat(open).hasSizeGreaterThanOrEqualTo(16);
        open.forEach(each -> sent.deliver(each, 10));
        received.awaitAll(sent.deliver(10, 100));
    }

    @Test
    void shouldSurviveRandomOperations() {
        for (int id = 1; id <= 10; id++) {
            play(id, new Random(id));
        }
    }

    private void play(int id, Random random) {
        int capacity = 50 + random.nextInt(500);
        sending.out().createBuffer(id, capacity);
        Sent model = new Sent(sending.out(), id, id);
        Received received = receiving.inbox(sending).of(id).seed(id).subscribe(50 + random.nextInt(500));
        List<Segment> open = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            int action = random.nextInt(10);
            if (action < 5) {
                Segment segment = sending.out().getOutputSegment(id, 1 + random.nextInt(40), false);
                if (segment.vecCount() > 0) {
                    open.add(segment);
                }
            } else if (action == 5 && !open.isEmpty()) {
                extend(open.get(open.size() - 1), random);
            } else if (!open.isEmpty()) {
                Segment segment = open.remove(random.nextInt(open.size()));
                int length = random.nextInt(1 + (int) Math.min(50, segment.length()));
                if (length == 0) {
                    sending.out().deliver(segment, 0);
                } else {
                    model.deliver(segment, length);
                }
            }
        }
        open.forEach(segment -> model.deliver(segment, 1));
        received.awaitAll(model);
        eventually(() -> model.offer(Math.min(50, capacity)), () -> "space, seed=" + id);
    }

    private void extend(Segment newest, Random random) {
        try {
            sending.out().extend(newest, newest.length() + random.nextInt(5));
        } catch (IllegalArgumentException e) {
            assertThat(e).hasMessageContaining("newest");
        }
    }
}
