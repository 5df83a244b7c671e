package io.rocketbufs.contract;

import static io.rocketbufs.contract.Stage.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.Segment;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.DataOutStatus;
import io.rocketbufs.options.SlowPolicy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that the producer receives the status of each delivery once, in delivery order. {@link LossContract} covers
 * losses.
 */
class DataOutContract {
    private final Stage stage;
    private final List<Object> contexts = Collections.synchronizedList(new ArrayList<>());
    private final List<DataOutStatus> statuses = Collections.synchronizedList(new ArrayList<>());
    private Node sending;
    private Node receiving;
    private Sent sent;

    DataOutContract(Stage stage) {
        this.stage = stage;
    }

    @BeforeEach
    void open() {
        sending = stage.node();
        receiving = stage.node();
        sending.out().setDataOutCallback((context, status) -> {
            contexts.add(context);
            statuses.add(status);
        });
        sent = new Sent(sending.out(), 1, 0);
    }

    /** Makes {@code times} deliveries of 100 bytes each. The context of each delivery is its number. */
    private void deliver(int times) {
        for (int i = 0; i < times; i++) {
            Segment segment = sending.out().getOutputSegment(1, 100, true);
            sent.deliver(segment, 100, sent.count());
        }
    }

    private void awaitReports(int count) {
        eventually(() -> statuses.size() >= count, () -> count + " reports; received " + statuses.size());
        assertThat(statuses).hasSize(count);
        assertThat(contexts).isEqualTo(IntStream.range(0, count).boxed().toList());
    }

    @Test
    void shouldReportDeliveriesWhenTheSlowestSubscriberHasThem() {
        sending.out().createBuffer(1, 2000);
        Received slow = receiving.inbox(sending).of(1).holding().subscribe(300);
        Received fast = receiving.subscribe(sending, 1, 500);
        deliver(10);
        fast.awaitAll(sent);
        slow.awaitPosition(300);
        awaitReports(3);
        slow.release();
        slow.awaitAll(sent);
        awaitReports(10);
        assertThat(statuses).containsOnly(DataOutStatus.SENT);
    }

    @Test
    void shouldReportCoalescedDeliveriesSeparately() {
        sending.out().createBuffer(1, 10_000);
        Received received = receiving.inbox(sending).of(1).holding().subscribe(400);
        deliver(4);
        received.awaitPosition(400);
        deliver(96);
        received.release();
        received.awaitAll(sent);
        awaitReports(100);
        assertThat(statuses).containsOnly(DataOutStatus.SENT);
    }

    @Test
    void shouldReportDeliveriesWithoutSubscribers() {
        sending.out().createBuffer(1, 2000);
        deliver(50);
        awaitReports(50);
        assertThat(statuses).containsOnly(DataOutStatus.NO_SUBSCRIBER);
        Received received = receiving.inbox(sending).of(1).from(sent.length()).subscribe(500);
        deliver(50);
        received.awaitAll(sent);
        awaitReports(100);
        assertThat(statuses.subList(50, 100)).containsOnly(DataOutStatus.SENT);
    }

    @Test
    void shouldReportNothingForCancelledSegments() {
        sending.out().createBuffer(1, 2000);
        Received received = receiving.subscribe(sending, 1, 500);
        deliver(2);
        assertThat(sending.out().deliver(sending.out().getOutputSegment(1, 100, true), 0, "cancelled"))
                .isEqualTo(-1);
        deliver(2);
        received.awaitAll(sent);
        awaitReports(4);
    }

    @Test
    void shouldReportInTheOrderOfDeliveryNotOfReservation() {
        sending.out().createBuffer(1, 2000);
        Received received = receiving.subscribe(sending, 1, 500);
        for (int i = 0; i < 20; i++) {
            Segment a = sending.out().getOutputSegment(1, 100, true);
            Segment b = sending.out().getOutputSegment(1, 70, true);
            sent.deliver(b, 70, sent.count());
            sent.deliver(a, 100, sent.count());
        }
        received.awaitAll(sent);
        awaitReports(40);
    }

    @Test
    void shouldReportDeliveriesThatAreSentAfterTheBufferWasRemoved() {
        sending.out().createBuffer(1, 2000);
        Received received = receiving.inbox(sending).of(1).holding().subscribe(300);
        deliver(10);
        received.awaitPosition(300);
        sending.out().removeBuffer(1);
        awaitReports(3);
        received.release();
        received.awaitEnd(sent);
        awaitReports(10);
        assertThat(statuses).containsOnly(DataOutStatus.SENT);
    }

    @Test
    void shouldReportHeldDeliveriesAsLostWhenTheBufferIsRemoved() {
        sending.out().createBuffer(1, 2000, BufferOptions.DEFAULTS.withHold(true));
        deliver(10);
        assertThat(statuses).isEmpty();
        sending.out().removeBuffer(1);
        awaitReports(10);
        assertThat(statuses).containsOnly(DataOutStatus.LOST);
    }

    @Test
    void shouldReportUnsentDeliveriesAsLostWhenASubscriberLeaves() {
        sending.out().createBuffer(1, 2000);
        Received received = receiving.inbox(sending).of(1).holding().subscribe(300);
        deliver(10);
        received.awaitPosition(300);
        Stage.get(received.inbox().in().unsubscribe(1));
        awaitReports(10);
        assertThat(statuses.subList(0, 3)).containsOnly(DataOutStatus.SENT);
        assertThat(statuses.subList(3, 10)).containsOnly(DataOutStatus.LOST);
    }

    @Test
    void shouldReportSkippedDeliveriesAsLost() {
        sending.out().createBuffer(1, 1000, BufferOptions.DEFAULTS.withSlowPolicy(SlowPolicy.SKIP));
        Received received = receiving.inbox(sending).of(1).holding().subscribe(300);
        deliver(10);
        received.awaitPosition(300);
        awaitReports(3);
        // Seven deliveries are pending, so the fourth additional delivery makes the subscriber skip data.
        deliver(4);
        awaitReports(13);
        received.release();
        received.awaitAll(sent);
        awaitReports(14);
        assertThat(statuses.subList(0, 3)).containsOnly(DataOutStatus.SENT);
        assertThat(statuses.subList(3, 13)).containsOnly(DataOutStatus.LOST);
        assertThat(statuses.get(13)).isEqualTo(DataOutStatus.SENT);
    }

    @Test
    void shouldReportOnceRegardlessOfTheNumberOfSubscribers() {
        sending.out().createBuffer(1, 5000);
        List<Received> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            all.add(stage.node().subscribe(sending, 1, 300 + 500 * i));
        }
        deliver(1000);
        all.forEach(received -> received.awaitAll(sent));
        awaitReports(1000);
        assertThat(statuses).containsOnly(DataOutStatus.SENT);
    }
}
