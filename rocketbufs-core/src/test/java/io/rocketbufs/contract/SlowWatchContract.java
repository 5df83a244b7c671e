package io.rocketbufs.contract;

import static io.rocketbufs.contract.Stage.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.metrics.SlowState;
import io.rocketbufs.metrics.SlowState.Phase;
import io.rocketbufs.options.BufferOptions;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that a broker's ROut reports the subscribers that delay a publisher in another process. */
class SlowWatchContract {
    private static final BufferOptions SEPARATE = BufferOptions.DEFAULTS.withCoalescing(false);

    private final Stage stage;
    private final List<Report> reports = new CopyOnWriteArrayList<>();
    private SpliceFixture relay;
    private Sent sent;

    /** A call of the callback. */
    private record Report(int bufferId, String peer, SlowState state) {}

    SlowWatchContract(Stage stage) {
        this.stage = stage;
    }

    @BeforeEach
    void open() {
        relay = new SpliceFixture(stage);
        relay.broker()
                .out()
                .setSlowCallback(
                        (bufferId, connection, state) -> reports.add(new Report(bufferId, connection.peer(), state)));
        sent = relay.publish(1, 1000, SEPARATE);
        relay.splice(1, 800, SEPARATE);
    }

    private boolean has(Phase phase) {
        return reports.stream().anyMatch(report -> report.state().phase() == phase);
    }

    private void fillUntilStuck(Received slow) {
        eventually(() -> {
            sent.fill(100);
            return has(Phase.BEGAN);
        });
        assertThat(slow.unconsumed()).isPositive();
    }

    @Test
    void shouldReportOnlyTheSubscriberThatDelaysThePublisher() {
        Received slow = relay.hold(1, 600);
        String peer = relay.broker().lastAccepted().peer();
        Received fast = relay.subscribe(1, 500);
        eventually(() -> {
            sent.fill(100);
            return reports.stream().anyMatch(report -> report.peer().equals(peer));
        });
        fast.awaitPosition(1200);
        // At this point, only the slow subscriber still has data to receive, however busy the machine is.
        reports.clear();
        eventually(() -> {
            sent.fill(100);
            return reports.stream().filter(report -> report.peer().equals(peer)).count() >= 5;
        });
        assertThat(reports)
                .filteredOn(report -> report.state().phase() == Phase.BEGAN)
                .isEmpty();
        SlowState state = reports.stream()
                .filter(report -> report.peer().equals(peer))
                .findFirst()
                .orElseThrow()
                .state();
        assertThat(state.delayMs()).isGreaterThanOrEqualTo(200);
        assertThat(state.pendingLength()).isBetween(600L, 800L);
        assertThat(reports).allMatch(report -> report.bufferId() == 1);
        slow.release();
        eventually(() -> {
            sent.fill(100);
            return reports.stream()
                    .anyMatch(report ->
                            report.peer().equals(peer) && report.state().phase() == Phase.RECOVERED);
        });
        slow.awaitAll(sent);
        fast.awaitAll(sent);
    }

    @Test
    void shouldMeasureForHowLongThePublisherIsDelayed() {
        Received slow = relay.hold(1, 600);
        fillUntilStuck(slow);
        eventually(() -> relay.broker().rocketBufs().metrics().connections().stream()
                .flatMap(connection -> connection.inputs().stream())
                .anyMatch(input -> input.delayMs() > 0));
        slow.release();
        slow.awaitAll(sent);
    }

    @Test
    void shouldReportTheEndOfASubscriberThatDelaysThePublisher() {
        Received slow = relay.hold(1, 600);
        fillUntilStuck(slow);
        slow.inbox().in().unsubscribe(1);
        eventually(() -> has(Phase.UNSUBSCRIBED) || has(Phase.RECOVERED));
        assertThat(reports.get(reports.size() - 1).state().phase()).isEqualTo(Phase.UNSUBSCRIBED);
        sent.deliver(100, 20);
    }

    @Test
    void shouldCloseTheConnectionOfTheSubscriberWhenTheCallbackThrows() {
        stage.expectFailures();
        relay.broker().out().setSlowCallback((bufferId, connection, state) -> {
            throw new IllegalStateException("on purpose");
        });
        Received slow = relay.hold(1, 600);
        eventually(() -> {
            sent.fill(100);
            return !relay.broker().failures().isEmpty();
        });
        assertThat(relay.broker().failures().get(0))
                .hasMessageEndingWith("the slow callback for buffer 1 failed: on purpose");
        sent.deliver(100, 20);
        assertThat(slow.unconsumed()).isNotNegative();
    }

    @Test
    void shouldReportNothingAboutAPublisherThatHasNothingToSend() {
        Received slow = relay.hold(1, 600);
        // Leaves so little credit that another transfer may not fit.
        slow.awaitAll(sent.deliver(100, 6));
        sent.deliver(100, 7);
        eventually(() -> relay.broker().out().subscriptions().get(0).pendingLength() == 700);
        // Uses the same connection, so that the samples that report the second buffer include the first one.
        Received other = slow.inbox().of(2).seed(2).holding();
        Sent second = relay.publish(2, 1000, SEPARATE);
        relay.splice(2, 800, SEPARATE);
        other.subscribe(600);
        eventually(() -> {
            second.fill(100);
            return has(Phase.BEGAN);
        });
        assertThat(reports).allMatch(report -> report.bufferId() == 2);
        slow.release();
        other.release();
        slow.awaitAll(sent);
        other.awaitAll(second);
    }
}
