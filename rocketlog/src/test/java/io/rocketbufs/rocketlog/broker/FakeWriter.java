package io.rocketbufs.rocketlog.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;

/** A fake writer whose batches contain one record each. Its tasks run when the test requests it. */
final class FakeWriter implements WrittenBatches.Writer {
    final List<Long> results = new ArrayList<>();
    final Deque<Runnable> tasks = new ArrayDeque<>();
    private final long producerId;
    private final Executor worker;

    FakeWriter(long producerId) {
        this.producerId = producerId;
        this.worker = tasks::add;
    }

    FakeWriter(Executor worker) {
        this.producerId = 1;
        this.worker = worker;
    }

    @Override
    public long producerId() {
        return producerId;
    }

    @Override
    public void onResult(long result, long nextOffset) {
        assertThat(result < 0 || nextOffset == result + 1).isTrue();
        results.add(result);
    }

    @Override
    public void execute(Runnable task) {
        worker.execute(task);
    }
}
