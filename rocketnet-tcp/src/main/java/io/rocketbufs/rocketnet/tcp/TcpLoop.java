package io.rocketbufs.rocketnet.tcp;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.SingleThreadIoEventLoop;
import java.util.concurrent.ThreadFactory;

/**
 * A loop of Netty's that looks for events between a task and the tasks that it queues.
 *
 * <p>Netty's own loop runs tasks until none is queued, for up to a second. A task that always has more to do, and
 * queues itself again, would keep all other connections waiting for as long.
 */
final class TcpLoop extends SingleThreadIoEventLoop {
    private static final int TASKS_PER_ROUND = 256;

    TcpLoop(ThreadFactory threads, IoHandlerFactory events) {
        super(null, threads, events);
    }

    /**
     * Runs the timers that are due and what is queued now, and not what they queue. The limit of time that Netty gives
     * is not needed, and what is left keeps the loop from waiting for events.
     */
    @Override
    protected boolean runAllTasks(long timeoutNs) {
        int count = Math.min(pendingTasks(), TASKS_PER_ROUND);
        boolean any = runTimers();
        for (int i = 0; i < count; i++) {
            Runnable task = pollTask();
            if (task == null) {
                break;
            }
            safeExecute(task);
            any = true;
        }
        if (any) {
            updateLastExecutionTime();
        }
        afterRunningAllTasks();
        return any;
    }

    private boolean runTimers() {
        boolean any = false;
        long nowNs = ticker().nanoTime();
        for (Runnable timer = pollScheduledTask(nowNs); timer != null; timer = pollScheduledTask(nowNs)) {
            safeExecute(timer);
            any = true;
        }
        return any;
    }
}
