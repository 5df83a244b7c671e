package io.rocketbufs.rocketlog.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.Connection;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class SegmentTargetTest {
    private final Link link = new Link();
    private final SegmentTarget target = new SegmentTarget("orders", 0, link);

    /** A link whose broker refuses every request before the producer can wait for the response. */
    private static final class Link implements SegmentTarget.Access {
        private final Deque<Runnable> tasks = new ArrayDeque<>();
        private LogClientException.Code refusal;
        private boolean isRefused;
        private boolean isPrivate;
        private int changeCount;

        @Override
        public CompletableFuture<ByteBuffer> ask(int partition) {
            return CompletableFuture.failedFuture(new LogClientException(refusal, "refused"));
        }

        @Override
        public Connection connection() {
            throw new AssertionError();
        }

        @Override
        public void execute(Runnable task) {
            tasks.add(task);
        }

        @Override
        public boolean isPrivate() {
            return isPrivate;
        }

        @Override
        public long delayMs() {
            return 60_000;
        }

        @Override
        public void onChange() {
            changeCount++;
        }

        @Override
        public void onUnwritten() {
            throw new AssertionError();
        }

        @Override
        public void onRefused(LogClientException cause) {
            isRefused = true;
        }
    }

    private SegmentTarget.Outcome send(boolean wasSent, boolean isUnderWay) {
        ProducerBatch batch = new ProducerBatch(100);
        batch.wasSent = wasSent;
        return target.send(batch, isUnderWay);
    }

    @Test
    void shouldReportARefusalOnlyAfterTheBatchIsKnownToWait() {
        link.refusal = LogClientException.Code.MODE_UNAVAILABLE;
        assertThat(send(false, false)).isEqualTo(SegmentTarget.Outcome.WAIT);
        assertThat(link.isRefused).isFalse();
        link.tasks.remove().run();
        assertThat(link.isRefused).isTrue();
        link.isPrivate = true;
        assertThat(send(false, false)).isEqualTo(SegmentTarget.Outcome.USE_RING);
    }

    @Test
    void shouldUseTheRingForSomeTimeWhenTheBrokerCannotLendTheMemoryNow() {
        link.refusal = LogClientException.Code.NOT_NOW;
        assertThat(send(false, true)).isEqualTo(SegmentTarget.Outcome.WAIT);
        assertThat(link.tasks).isEmpty();
        assertThat(send(false, false)).isEqualTo(SegmentTarget.Outcome.WAIT);
        link.tasks.remove().run();
        assertThat(link.changeCount).isEqualTo(1);
        assertThat(send(false, true)).isEqualTo(SegmentTarget.Outcome.USE_RING);
        assertThat(link.isRefused).isFalse();
    }

    @Test
    void shouldSendBatchesThroughTheRingThatTheLogMayHave() {
        assertThat(send(true, true)).isEqualTo(SegmentTarget.Outcome.USE_RING);
        assertThat(link.tasks).isEmpty();
    }
}
