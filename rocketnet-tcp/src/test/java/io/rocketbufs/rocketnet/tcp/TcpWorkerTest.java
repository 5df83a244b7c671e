package io.rocketbufs.rocketnet.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;
import io.rocketbufs.memory.MemoryPool;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of the times at which a worker polls for events between its tasks. */
@Timeout(600)
final class TcpWorkerTest {
    private final MemoryPool memory = new MemoryPool(1 << 20);
    private final NioIo io = new NioIo(TcpSettings.from(TcpEnds.config("nio")));
    private TcpWorker worker;
    private Looks looks;

    @AfterEach
    void end() throws Exception {
        worker.beginEnd().get(60, TimeUnit.SECONDS);
        worker.end().get(60, TimeUnit.SECONDS);
        memory.close();
    }

    private void start(long spinNs) {
        worker = new TcpWorker(
                0, executor -> looks = new Looks(io.handlerFactory().newHandler(executor)), memory, 100, spinNs);
    }

    /** An I/O handler that counts the polls for events. It is used only by the worker's thread. */
    private static final class Looks implements IoHandler {
        private final IoHandler real;
        private int count;

        Looks(IoHandler real) {
            this.real = real;
        }

        @Override
        public int run(IoHandlerContext context) {
            count++;
            return real.run(context);
        }

        @Override
        public void initialize() {
            real.initialize();
        }

        @Override
        public void prepareToDestroy() {
            real.prepareToDestroy();
        }

        @Override
        public void destroy() {
            real.destroy();
        }

        @Override
        public IoRegistration register(IoHandle handle) throws Exception {
            return real.register(handle);
        }

        @Override
        public void wakeup() {
            real.wakeup();
        }

        @Override
        public boolean isCompatible(Class<? extends IoHandle> handleType) {
            return real.isCompatible(handleType);
        }
    }

    /** Returns the number of polls so far at each run of a task that requeues itself. */
    private List<Integer> looksOfATaskThatQueuesItself(int runs) throws Exception {
        List<Integer> seen = new ArrayList<>();
        CompletableFuture<List<Integer>> all = new CompletableFuture<>();
        worker.execute(new Runnable() {
            @Override
            public void run() {
                seen.add(looks.count);
                if (seen.size() < runs) {
                    worker.execute(this);
                } else {
                    all.complete(seen);
                }
            }
        });
        return all.get(60, TimeUnit.SECONDS);
    }

    @Test
    void shouldPollForEventsBeforeATaskQueuedByATask() throws Exception {
        start(0);
        assertThat(looksOfATaskThatQueuesItself(1_000)).doesNotHaveDuplicates();
    }

    @Test
    void shouldPollForEventsBeforeATaskQueuedByATaskWhileSpinning() throws Exception {
        start(1_000_000);
        assertThat(looksOfATaskThatQueuesItself(1_000)).doesNotHaveDuplicates();
    }

    @Test
    void shouldPollForEventsBeforeTheLastOfManyTasks() throws Exception {
        start(0);
        CountDownLatch queued = new CountDownLatch(1);
        worker.execute(() -> {
            try {
                queued.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        List<Integer> seen = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            worker.execute(() -> seen.add(looks.count));
        }
        CompletableFuture<List<Integer>> all = new CompletableFuture<>();
        worker.execute(() -> all.complete(seen));
        queued.countDown();
        assertThat(all.get(60, TimeUnit.SECONDS)).hasSize(1_000).isSorted();
        assertThat(seen.stream().distinct().count()).isBetween(4L, 5L);
    }

    @Test
    void shouldRunTasksOfAllThreadsInQueueOrder() throws Exception {
        start(0);
        List<String> ran = new ArrayList<>();
        CompletableFuture<List<String>> all = new CompletableFuture<>();
        CountDownLatch mine = new CountDownLatch(1);
        CountDownLatch others = new CountDownLatch(1);
        worker.execute(() -> {
            worker.execute(() -> ran.add("of the worker"));
            mine.countDown();
            try {
                others.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            worker.execute(() -> ran.add("of the worker again"));
            worker.execute(() -> all.complete(ran));
        });
        mine.await();
        worker.execute(() -> ran.add("of another thread"));
        others.countDown();
        assertThat(all.get(60, TimeUnit.SECONDS))
                .containsExactly("of the worker", "of another thread", "of the worker again");
    }

    @Test
    void shouldContinueWithTasksAndTimersAfterOneThrows() throws Exception {
        start(0);
        worker.execute(() -> {
            throw new IllegalStateException("on purpose");
        });
        CompletableFuture<Void> task = new CompletableFuture<>();
        worker.execute(() -> task.complete(null));
        task.get(60, TimeUnit.SECONDS);
        worker.schedule(
                () -> {
                    throw new IllegalStateException("on purpose");
                },
                0);
        CompletableFuture<Void> timer = new CompletableFuture<>();
        worker.schedule(() -> timer.complete(null), 1);
        timer.get(60, TimeUnit.SECONDS);
    }

    @Test
    void shouldFireTimersWhileATaskQueuesItself() throws Exception {
        start(0);
        CompletableFuture<Void> timer = new CompletableFuture<>();
        worker.schedule(() -> timer.complete(null), 1);
        worker.execute(new Runnable() {
            @Override
            public void run() {
                if (!timer.isDone()) {
                    worker.execute(this);
                }
            }
        });
        timer.get(60, TimeUnit.SECONDS);
    }
}
