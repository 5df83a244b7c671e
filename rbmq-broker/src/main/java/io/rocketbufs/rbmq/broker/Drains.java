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
     * @param what the buffer as described at the beginning of a log line, with its topic and publisher
     * @param onGone runs after the timeout, once the buffer no longer exists and no expected subscription can still ask
     *     how many bytes it missed
     */
    void begin(int bufferId, TopicRule rule, String what, Runnable onGone) {
        schedule(() -> expire(bufferId, rule, what, onGone), rule.drainTimeoutMs());
    }

    /** Runs a task after a delay in milliseconds, unless the broker closes first. */
    void schedule(Runnable task, long delayMs) {
        try {
            timer.schedule(task, delayMs, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            // The broker is closing and ends all buffers itself.
        }
    }

    /** Makes the subscribers of a buffer skip the remaining data, and logs its length. */
    private void expire(int bufferId, TopicRule rule, String what, Runnable onGone) {
        long pendingLength = out.skip(bufferId);
        if (pendingLength >= 0) {
            LOG.warn(
                    "{} was not drained within {} ms: {} bytes had not been sent to subscribers",
                    what,
                    rule.drainTimeoutMs(),
                    pendingLength);
            schedule(() -> end(bufferId, rule, onGone), AGAIN_MS);
        } else {
            forget(rule, onGone);
        }
    }

    /** Ends a buffer. If the transport cannot cancel a write in progress, this may take several attempts. */
    private void end(int bufferId, TopicRule rule, Runnable onGone) {
        if (out.skip(bufferId) >= 0) {
            schedule(() -> end(bufferId, rule, onGone), AGAIN_MS);
        } else {
            forget(rule, onGone);
        }
    }

    private void forget(TopicRule rule, Runnable onGone) {
        schedule(onGone, rule.joinTimeoutMs() + REMEMBERED_MS);
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
