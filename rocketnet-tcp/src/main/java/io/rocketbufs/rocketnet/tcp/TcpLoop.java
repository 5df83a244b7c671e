package io.rocketbufs.rocketnet.tcp;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.SingleThreadIoEventLoop;
import java.util.concurrent.ThreadFactory;

/**
 * A Netty event loop that polls for events between a task and the tasks that this task queues.
 *
 * <p>Netty's own loop runs tasks for up to a second, until none is queued. A task that repeatedly queues itself would
 * make all other connections wait for that time.
 */
final class TcpLoop extends SingleThreadIoEventLoop {
    private static final int TASKS_PER_ROUND = 256;

    TcpLoop(ThreadFactory threads, IoHandlerFactory events) {
        super(null, threads, events);
    }

    /**
     * Runs the timers that are due and the tasks that are queued now, but not the tasks that these add. Netty's time
     * limit is not needed. Remaining tasks prevent the loop from blocking.
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
