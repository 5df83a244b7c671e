package io.rocketbufs.rbmq.broker;

import io.rocketbufs.ROut;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Timeouts for the remaining data of departed publishers. When a timeout expires, slow subscribers continue without the
 * data and are notified of the number of bytes they missed.
 *
 * <p><b>Thread-safety:</b> any thread. <b>Ownership:</b> owns a thread, {@code rbmq-broker-drains}.
 */
final class Drains implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Drains.class);
    private static final long AGAIN_MS = 1000;
    /**
     * A delay that exceeds the time for which core remembers an expected subscription after it has stopped holding data
     * for that subscription.
     */
    private static final long REMEMBERED_MS = 120_000;

    private final ROut out;
    private final ScheduledThreadPoolExecutor timer;

    /** Creates an instance without running timeouts. */
    Drains(ROut out) {
        this.out = out;
        this.timer = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "rbmq-broker-drains");
            thread.setDaemon(true);
            return thread;
        });
        timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /**
     * Starts the timeout of a buffer.
     *
     * @param rule the timeouts of the buffer's topic
     * @param onGone runs after the timeout, once the buffer no longer exists and no expected subscription can still ask
     *     how many bytes it missed
     */
    void begin(int bufferId, TopicRule rule, Runnable onGone) {
        schedule(() -> end(bufferId, rule, true, onGone), rule.drainTimeoutMs());
    }

    /** Runs a task after a delay in milliseconds, unless the broker closes first. */
    void schedule(Runnable task, long delayMs) {
        try {
            timer.schedule(task, delayMs, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            // The broker is closing and ends all buffers itself.
        }
    }

    /** Ends a buffer. If the transport cannot cancel a write in progress, this may take several attempts. */
    private void end(int bufferId, TopicRule rule, boolean isFirst, Runnable onGone) {
        if (out.skip(bufferId)) {
            if (isFirst) {
                LOG.warn(
                        "Buffer {} of a departed publisher was not drained within {} ms",
                        bufferId,
                        rule.drainTimeoutMs());
            }
            schedule(() -> end(bufferId, rule, false, onGone), AGAIN_MS);
        } else {
            schedule(onGone, rule.joinTimeoutMs() + REMEMBERED_MS);
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
