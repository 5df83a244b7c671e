package io.rocketbufs.rocketlog.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TopicCreationTest {
    private final TopicCreation creation = new TopicCreation();

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldReportWhatATaskThrowsAndRunTheNextOne(boolean isError) throws Exception {
        RuntimeException exception = new IllegalStateException("thrown by the test");
        Error error = new AssertionError("thrown by the test");
        CompletableFuture<Throwable> failed = new CompletableFuture<>();
        CompletableFuture<Void> next = new CompletableFuture<>();
        creation.execute(
                () -> {
                    if (isError) {
                        throw error;
                    }
                    throw exception;
                },
                failed::complete);
        creation.execute(() -> next.complete(null), next::completeExceptionally);
        assertThat(failed.get(60, TimeUnit.SECONDS)).isSameAs(isError ? error : exception);
        next.get(60, TimeUnit.SECONDS);
        creation.close();
    }

    @Test
    void shouldRunNothingAfterItIsClosed() {
        creation.close();
        assertThat(creation.execute(() -> {}, failure -> {})).isFalse();
    }
}
