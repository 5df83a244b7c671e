package io.rocketbufs.rocketlog.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.rocketlog.LoggedRecords;
import io.rocketbufs.rocketlog.RunningLogBroker;
import io.rocketbufs.rocketlog.protocol.BatchFrameLayout;
import io.rocketbufs.rocketlog.protocol.OrderWordLayout;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests of a producer that changes the bytes of its batches in its buffer at the broker after they have arrived. This
 * is possible only over RDMA, where the producer writes to the broker's memory.
 */
@Timeout(600)
final class RewrittenBufferSystemTest extends LeaseFixture {
    private static final ByteBuffer ORIGINAL = batch(7, 0, "original");

    /** The ways in which a producer rewrites the frame that contains the batch {@link #ORIGINAL}. */
    private enum Rewriting {
        ANOTHER_BATCH(RewritingProducer.frame(0, batch(7, 0, "replaced"))),
        DAMAGED_BATCH(RewritingProducer.frame(0, ORIGINAL).put(BatchFrameLayout.BATCH + 65, (byte) 99)),
        ZEROS(ByteBuffer.allocate(BatchFrameLayout.BATCH + ORIGINAL.limit())),
        ANOTHER_PARTITION(RewritingProducer.frame(1, ORIGINAL)),
        UNKNOWN_PARTITION(RewritingProducer.frame(77, ORIGINAL)),
        SHORTER(RewritingProducer.frame(0, ORIGINAL).putInt(BatchFrameLayout.LENGTH, 10)),
        LONGER(RewritingProducer.frame(0, ORIGINAL).putInt(BatchFrameLayout.LENGTH, ORIGINAL.limit() + 1)),
        NEGATIVE_LENGTH(RewritingProducer.frame(0, ORIGINAL).putInt(BatchFrameLayout.LENGTH, -1));

        private final ByteBuffer frame;

        Rewriting(ByteBuffer frame) {
            this.frame = frame;
        }
    }

    private RewritingProducer rewriting() {
        return running.opened(RewritingProducer.connect(
                "rdma", RunningLogBroker.config(folder, "rocketbufs.transport = rdma"), running.address(), "orders"));
    }

    @ParameterizedTest
    @EnumSource(names = "ANOTHER_BATCH")
    void shouldAppendOnlyTheBytesThatTheBrokerHasChecked(Rewriting rewriting) {
        rewriteAfterTheCheck(rewriting);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("slow")
    void shouldAppendOnlyTheBytesThatTheBrokerHasCheckedForEachRewriting(Rewriting rewriting) {
        rewriteAfterTheCheck(rewriting);
    }

    /** The batch waits for an earlier one after the broker has checked it, and before the broker appends it. */
    private void rewriteAfterTheCheck(Rewriting rewriting) {
        start("rdma");
        RawProducer.Written log = producer().share(0, 1);
        ByteBuffer early = batch(1, 0, "early");
        long place = log.reserve(early);
        RewritingProducer hostile = rewriting();
        hostile.deliver(RewritingProducer.frame(0, ORIGINAL));
        await().until(() -> OrderWordLayout.order(log.add(0)) == 2);
        hostile.rewrite(0, rewriting.frame);
        log.writeTo(place, early);
        await().until(() -> partition().nextOffset() == 2);
        appendByAnother(2);
        running.close();
        assertThat(LoggedRecords.values(folder, "orders-0"))
                .containsExactly("early", "original", "of another producer");
        assertThat(LoggedRecords.values(folder, "orders-1")).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = "DAMAGED_BATCH")
    void shouldHarmNoOtherProducerWhenABatchIsRewrittenBeforeItsTurn(Rewriting rewriting) {
        rewriteBeforeTheTurn(rewriting);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("slow")
    void shouldHarmNoOtherProducerWhenABatchIsRewrittenBeforeItsTurnInAnyWay(Rewriting rewriting) {
        rewriteBeforeTheTurn(rewriting);
    }

    /** The broker appends the batch only when the turn is free. */
    private void rewriteBeforeTheTurn(Rewriting rewriting) {
        start("rdma");
        AppendTurn turn = partition().turn();
        assertThat(turn.tryEnter()).isTrue();
        RewritingProducer hostile = rewriting();
        hostile.deliver(RewritingProducer.frame(0, ORIGINAL));
        hostile.rewrite(0, rewriting.frame);
        turn.exit();
        RawProducer other = producer();
        other.send(0, batch(99, 0, "other"));
        other.awaitResults(1);
        assertThat(other.end).isNull();
        running.close();
        assertThat(LoggedRecords.values(folder, "orders-0"))
                .contains("other")
                .isSubsetOf(List.of("other", "original", "replaced"));
        assertThat(LoggedRecords.values(folder, "orders-1")).isSubsetOf(List.of("original"));
    }

    @Test
    void shouldKeepABatchThatIsRewrittenAfterItWasAppended() {
        start("rdma");
        RewritingProducer hostile = rewriting();
        hostile.deliver(RewritingProducer.frame(0, ORIGINAL));
        await().until(() -> partition().nextOffset() == 1);
        for (Rewriting each : Rewriting.values()) {
            hostile.rewrite(0, each.frame);
        }
        assertThat(hostile.isOver()).isFalse();
        appendByAnother(1);
        running.close();
        assertThat(LoggedRecords.values(folder, "orders-0")).containsExactly("original", "of another producer");
    }
}
