package io.rocketbufs.rocketlog.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class CompletedBatchesTest {
    private static final LogClientException LOST =
            new LogClientException(LogClientException.Code.TIMEOUT, "no acknowledgement");

    private final List<Long> acknowledged = new ArrayList<>();
    private final List<LogClientException> failures = new ArrayList<>();
    private final List<ProducerBatch> released = new ArrayList<>();
    private Error thrown;

    private final CompletedBatches completed = new CompletedBatches(
            new ProducerCallback() {
                @Override
                public void onAcknowledged(int partition, long firstNumber, int count, long firstOffset) {
                    throwIfAsked();
                    acknowledged.add(firstOffset);
                }

                @Override
                public void onFailed(LogClientException cause) {
                    failures.add(cause);
                    throwIfAsked();
                }
            },
            released::add);

    private void throwIfAsked() {
        if (thrown != null) {
            throw thrown;
        }
    }

    private static ProducerBatch batch() {
        ProducerBatch batch = new ProducerBatch(100);
        batch.count = 1;
        return batch;
    }

    @Test
    void shouldFailTheFuturesOfAFailedBatchEvenBeforeTheProducerHasFailed() {
        CompletableFuture<Long> offset = new CompletableFuture<>();
        ProducerBatch batch = batch();
        batch.promise(offset);
        completed.addFailed(batch, LOST);
        completed.report(); // another thread may report while the producer is still adding batches
        assertThat(offset.handle((value, failure) -> failure)).isCompletedWithValue(LOST);
        assertThat(acknowledged).isEmpty();
        completed.fail(LOST);
        completed.report();
        completed.report();
        assertThat(failures).containsExactly(LOST);
    }

    @Test
    void shouldReportAndReleaseTheOtherBatchesWhenTheCallbackThrows() {
        thrown = new AssertionError("thrown by the test");
        completed.add(batch(), 1);
        completed.add(batch(), 2);
        completed.report();
        assertThat(released).hasSize(2);
        thrown = null;
        completed.add(batch(), 3);
        completed.report();
        assertThat(acknowledged).containsExactly(3L);
        assertThat(released).hasSize(3);
    }

    @Test
    void shouldNotThrowWhatTheCallbackThrowsAfterAFailure() {
        thrown = new AssertionError("thrown by the test");
        completed.fail(LOST);
        completed.report();
        assertThat(failures).containsExactly(LOST);
    }
}
