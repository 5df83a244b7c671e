package io.rocketbufs.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
final class WorkerCheckTest {
    private final AtomicInteger count = new AtomicInteger();
    private final CompletableFuture<List<String>> answer = new CompletableFuture<>();
    private final WorkerCheck check = new WorkerCheck(timeoutMs -> {
        count.incrementAndGet();
        return answer.join();
    });

    @Test
    void shouldShareARunningCheckAmongRequests() throws InterruptedException {
        List<List<String>> results = new ArrayList<>();
        List<Thread> requests = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Thread request = new Thread(() -> {
                List<String> result = check.unresponsiveWorkers();
                synchronized (results) {
                    results.add(result);
                }
            });
            request.start();
            requests.add(request);
        }
        await().until(() -> requests.stream().allMatch(request -> request.getState() == Thread.State.WAITING));
        answer.complete(List.of("worker 1"));
        for (Thread request : requests) {
            request.join();
        }

        assertThat(results).hasSize(3).containsOnly(List.of("worker 1"));
        assertThat(count).hasValue(1);
    }

    @Test
    void shouldStartANewCheckWhenTheLastCheckHasEnded() {
        answer.complete(List.of());
        assertThat(check.unresponsiveWorkers()).isEmpty();
        assertThat(check.unresponsiveWorkers()).isEmpty();

        assertThat(count).hasValue(2);
    }

    @Test
    void shouldStartANewCheckWhenTheLastCheckFailed() {
        answer.completeExceptionally(new IllegalStateException("on purpose"));
        assertThatThrownBy(check::unresponsiveWorkers).hasRootCauseMessage("on purpose");
        assertThatThrownBy(check::unresponsiveWorkers).hasRootCauseMessage("on purpose");

        assertThat(count).hasValue(2);
    }
}
