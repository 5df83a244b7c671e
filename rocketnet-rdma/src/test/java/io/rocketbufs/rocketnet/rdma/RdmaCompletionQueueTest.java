package io.rocketbufs.rocketnet.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.rocketnet.rdma.ofi.FakeDomain;
import io.rocketbufs.rocketnet.rdma.ofi.Ofi;
import io.rocketbufs.rocketnet.rdma.ofi.OfiConstants;
import org.junit.jupiter.api.Test;

/** Tests of the assignment of completions to connections. The test takes the place of libfabric's queue. */
final class RdmaCompletionQueueTest {
    private static final long RECEIVE = OfiConstants.FI_RECV;
    private static final long ENTRIES = 100;

    private final Ofi ofi = Ofi.load("libfabric.so.1");
    private final FakeDomain domain = new FakeDomain();
    private final RdmaFabric fabric = new RdmaFabric("fake", 0, null);
    private final ConnectionNumbers numbers = new ConnectionNumbers(100);
    private final RdmaCompletionQueue queue = open(true);
    private final DirectSink sink = new DirectSink();

    private RdmaCompletionQueue open(boolean shared) {
        return new RdmaCompletionQueue(ofi, fabric, domain.fid(), 10 * ENTRIES, numbers, shared);
    }

    private RdmaMember member(CompletionTarget target) {
        RdmaMember member = numbers.take(target, sink);
        assertThat(queue.add(member, ENTRIES)).isTrue();
        return member;
    }

    private void arrive(RdmaMember member, int slot) {
        domain.add(Contexts.receive(member.number(), slot), RECEIVE, 10L * slot, 100L * slot);
    }

    private static String arrival(int slot) {
        return "slot " + slot + " flags " + RECEIVE + " length " + 10 * slot + " data " + 100 * slot;
    }

    @Test
    void shouldPassEachConnectionItsCompletionsAndOneEndOfBatch() {
        RecordingTarget first = new RecordingTarget();
        RecordingTarget second = new RecordingTarget();
        RdmaMember one = member(first);
        RdmaMember other = member(second);
        arrive(one, 1);
        arrive(other, 2);
        arrive(one, 3);
        domain.batch();
        arrive(one, 4);
        domain.batch();
        assertThat(queue.drain()).isTrue();
        assertThat(first.events()).containsExactly(arrival(1), arrival(3), "end", arrival(4), "end");
        assertThat(second.events()).containsExactly(arrival(2), "end");
    }

    /**
     * The event queue is read before the first completion of a connection is handled. If the event queue reports the
     * end of a connection, that connection's earlier arrivals are delivered first, from the same completion queue.
     */
    @Test
    void shouldNotBeReadWhileItsCompletionsArePassedOn() {
        boolean[] drained = new boolean[1];
        RecordingTarget first = new RecordingTarget().before(() -> drained[0] = queue.drain());
        RecordingTarget second = new RecordingTarget();
        RdmaMember one = member(first);
        RdmaMember other = member(second);
        arrive(one, 1);
        arrive(other, 2);
        arrive(one, 3);
        arrive(other, 4);
        domain.batch();
        arrive(other, 5);
        arrive(one, 6);
        domain.batch();
        assertThat(queue.poll()).isTrue();
        assertThat(drained[0]).as("drained completely").isFalse();
        assertThat(domain.reads()).isEqualTo(1);
        assertThat(first.events()).containsExactly(arrival(1), arrival(3), "end");
        assertThat(second.events()).containsExactly(arrival(2), arrival(4), "end");

        assertThat(queue.drain()).isTrue();
        assertThat(first.events()).endsWith("end", arrival(6), "end").hasSize(5);
        assertThat(second.events()).endsWith("end", arrival(5), "end").hasSize(5);
    }

    @Test
    void shouldBeReadAgainAfterAConnectionThrows() {
        RdmaMember one = member(new RecordingTarget().before(() -> {
            throw new IllegalStateException("fails");
        }));
        RecordingTarget second = new RecordingTarget();
        RdmaMember other = member(second);
        arrive(other, 1);
        arrive(one, 2);
        domain.batch();
        arrive(other, 3);
        domain.batch();
        assertThatThrownBy(queue::drain).hasMessage("fails");
        assertThat(second.events()).containsExactly(arrival(1), "end");
        assertThat(queue.drain()).isTrue();
        assertThat(second.events()).containsExactly(arrival(1), "end", arrival(3), "end");
    }

    @Test
    void shouldNotBeReadWhileAWorkerHasNoRoom() {
        RecordingTarget target = new RecordingTarget();
        arrive(member(target), 1);
        domain.batch();
        sink.full(true);
        assertThat(queue.drain()).isFalse();
        assertThat(domain.reads()).isZero();
        sink.full(false);
        assertThat(queue.drain()).isTrue();
        assertThat(target.events()).containsExactly(arrival(1), "end");
    }

    @Test
    void shouldDropTheCompletionsOfAClosedConnection() {
        RecordingTarget first = new RecordingTarget();
        RdmaMember one = member(first);
        RecordingTarget second = new RecordingTarget();
        RdmaMember other = member(second);
        arrive(one, 1);
        arrive(other, 2);
        domain.batch();
        queue.remove(one, ENTRIES);
        numbers.giveBack(one);
        RecordingTarget third = new RecordingTarget();
        member(third);
        assertThat(queue.drain()).isTrue();
        assertThat(first.events()).isEmpty();
        assertThat(second.events()).containsExactly(arrival(2), "end");
        assertThat(third.events()).isEmpty();
    }

    @Test
    void shouldNotifyTheConnectionWhoseOperationFailed() {
        RecordingTarget first = new RecordingTarget();
        RdmaMember one = member(first);
        RecordingTarget second = new RecordingTarget();
        member(second);
        domain.fail(Contexts.receive(one.number(), 1), 5);
        assertThat(queue.drain()).isTrue();
        assertThat(first.events()).containsExactly("failed 5");
        assertThat(second.events()).isEmpty();
    }

    @Test
    void shouldServeOnlyOneConnectionIfCompletionsDoNotIdentifyIt() {
        RdmaCompletionQueue own = open(false);
        RecordingTarget target = new RecordingTarget();
        assertThat(own.add(numbers.take(target, sink), ENTRIES)).isTrue();
        assertThat(own.add(numbers.take(new RecordingTarget(), sink), ENTRIES)).isFalse();
        domain.add(0, OfiConstants.FI_REMOTE_WRITE, 10, 100);
        domain.batch();
        assertThat(own.drain()).isTrue();
        assertThat(target.events())
                .containsExactly("slot 0 flags " + OfiConstants.FI_REMOTE_WRITE + " length 10 data 100", "end");
    }

    @Test
    void shouldRefuseAConnectionWhoseCompletionsDoNotFit() {
        RdmaMember first = member(new RecordingTarget());
        assertThat(queue.add(numbers.take(new RecordingTarget(), sink), 10 * ENTRIES))
                .isFalse();
        queue.remove(first, ENTRIES);
        assertThat(queue.add(numbers.take(new RecordingTarget(), sink), 10 * ENTRIES))
                .isTrue();
    }
}
