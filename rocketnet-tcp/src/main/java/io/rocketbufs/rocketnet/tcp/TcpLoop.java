package io.rocketbufs.rocketnet.tcp;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.SingleThreadIoEventLoop;
import java.util.concurrent.ThreadFactory;

/**
 * A Netty event loop that polls for events before it runs tasks queued by other tasks.
 *
 * <p>Netty's own loop runs tasks without polling until the queue is empty, for up to a second. A task that repeatedly
 * queues itself would block all other connections for that second.
 */
final class TcpLoop extends SingleThreadIoEventLoop {
    private static final int TASKS_PER_ROUND = 256;

    TcpLoop(ThreadFactory threads, IoHandlerFactory events) {
        super(null, threads, events);
    }

    /**
     * Runs the timers that are due and a limited number of queued tasks, but not the tasks that they add. Ignores
     * Netty's time limit, which is not needed. The loop does not block while tasks remain.
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
