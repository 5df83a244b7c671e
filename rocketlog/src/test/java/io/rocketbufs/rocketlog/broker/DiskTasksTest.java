package io.rocketbufs.rocketlog.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class DiskTasksTest {
    private final DiskTasks tasks = new DiskTasks();

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldReportATasksExceptionAndRunTheNextTask(boolean isError) throws Exception {
        RuntimeException exception = new IllegalStateException("thrown by the test");
        Error error = new AssertionError("thrown by the test");
        CompletableFuture<Throwable> failed = new CompletableFuture<>();
        CompletableFuture<Void> next = new CompletableFuture<>();
        tasks.answer(
                () -> {
                    if (isError) {
                        throw error;
                    }
                    throw exception;
                },
                failed::complete);
        tasks.answer(() -> next.complete(null), next::completeExceptionally);
        assertThat(failed.get(60, TimeUnit.SECONDS)).isSameAs(isError ? error : exception);
        next.get(60, TimeUnit.SECONDS);
        tasks.close();
    }

    @Test
    void shouldRunNothingAfterItIsClosed() {
        tasks.close();
        assertThat(tasks.answer(() -> {}, failure -> {})).isFalse();
    }
}
