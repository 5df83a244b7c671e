package io.rocketbufs.rbmq.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("once")
@Timeout(600)
final class PendingRequestTest {
    @Test
    void shouldPassItsTimeOutToAnotherThread() throws Exception {
        PendingRequest request = new PendingRequest(1, null, ended -> {});
        BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
        request.limit(1, tasks::add, () -> request.future().cancel(false));
        Runnable onTimeout = tasks.take();
        assertThat(request.future()).isNotDone();
        onTimeout.run();
        assertThat(request.future()).isCancelled();
    }

    @Test
    void shouldEndOnceBeforeItsFutureCompletes() {
        List<String> events = new ArrayList<>();
        PendingRequest request = new PendingRequest(1, null, ended -> events.add("ended"));
        request.future().whenComplete((reply, failure) -> events.add(failure.getMessage()));
        request.fail(new RequestException(RequestException.Reason.CLOSED, "closed"));
        request.fail(new RequestException(RequestException.Reason.TIMEOUT, "late"));
        assertThat(request.end()).isFalse();
        assertThat(events).containsExactly("ended", "closed");
    }

    @Test
    void shouldEndWhenTheApplicationCancelsIt() {
        List<String> events = new ArrayList<>();
        PendingRequest request = new PendingRequest(1, null, ended -> events.add("ended"));
        request.future().cancel(false);
        assertThat(events).containsExactly("ended");
        assertThat(request.end()).isFalse();
    }
}
