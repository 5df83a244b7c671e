package io.rocketbufs.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
final class WorkerCheckTest {
    private final AtomicInteger count = new AtomicInteger();
    private final CompletableFuture<List<String>> answer = new CompletableFuture<>();
    private final WorkerCheck check = new WorkerCheck(timeoutMs -> {
        count.incrementAndGet();
        return answer.join();
    });

    @Test
    void shouldShareARunningCheckAmongRequestsThatDoNotWaitForIt() {
        CompletableFuture<List<String>> first = CompletableFuture.supplyAsync(
                        check::unresponsiveWorkers, task -> new Thread(task).start())
                .thenCompose(checked -> checked);
        await().until(() -> count.get() == 1);
        CompletableFuture<List<String>> second = check.unresponsiveWorkers();
        CompletableFuture<Page> page = check.page("ready");
        assertThat(second).isNotDone();
        assertThat(page).isNotDone();
        answer.complete(List.of("worker 1"));

        assertThat(first.join()).containsExactly("worker 1");
        assertThat(second.join()).containsExactly("worker 1");
        assertThat(page.join().status()).isEqualTo(503);
        assertThat(count).hasValue(1);
    }

    @Test
    void shouldStartANewCheckWhenTheLastCheckHasEnded() {
        answer.complete(List.of());
        assertThat(check.unresponsiveWorkers()).isCompletedWithValue(List.of());
        assertThat(check.page("live").join().status()).isEqualTo(200);

        assertThat(count).hasValue(2);
    }

    @Test
    void shouldStartANewCheckWhenTheLastCheckFailed() {
        answer.completeExceptionally(new IllegalStateException("on purpose"));
        assertThatThrownBy(check.unresponsiveWorkers()::join).hasRootCauseMessage("on purpose");
        assertThatThrownBy(check.unresponsiveWorkers()::join).hasRootCauseMessage("on purpose");

        assertThat(count).hasValue(2);
    }
}
