package io.rocketbufs.rbmq.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("once")
@Timeout(60)
final class PendingRequestTest {
    @Test
    void shouldPassItsTimeOutToAnotherThread() throws Exception {
        PendingRequest request = new PendingRequest(1, null);
        BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
        request.limit(1, tasks::add, () -> request.future().cancel(false));
        Runnable onTimeout = tasks.take();
        assertThat(request.future()).isNotDone();
        onTimeout.run();
        assertThat(request.future()).isCancelled();
    }
}
