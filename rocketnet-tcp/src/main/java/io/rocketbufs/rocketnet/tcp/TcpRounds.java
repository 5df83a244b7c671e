package io.rocketbufs.rocketnet.tcp;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;
import java.util.ArrayDeque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has a worker look for events, again and again for a while if it may, and lets it put something off until it has
 * looked.
 *
 * <p>The loop's own queue cannot do that: the loop runs what it holds until it is empty, for up to a second. A task
 * that always has more to do, and queues itself again, would keep all other connections waiting for as long.
 *
 * <p><b>Thread-safety:</b> the worker's, except {@link #wakeup}.
 */
final class TcpRounds implements IoHandler {
    private static final Logger LOGGER = LoggerFactory.getLogger(TcpRounds.class);

    private final IoHandler events;
    private final long spinNs;
    private final ArrayDeque<Runnable> putOff = new ArrayDeque<>();
    private final WithoutWaiting withoutWaiting = new WithoutWaiting();

    /** With how long to look again and again before waiting. */
    TcpRounds(IoHandler events, long spinNs) {
        this.events = events;
        this.spinNs = spinNs;
    }

    /** Runs a task once, after the next look for events, which does not wait for any. */
    void putOff(Runnable task) {
        putOff.add(task);
    }

    @Override
    public int run(IoHandlerContext context) {
        int count = putOff.size();
        int handled = count == 0 ? look(context) : events.run(withoutWaiting.in(context));
        for (int i = 0; i < count; i++) {
            run(putOff.remove());
        }
        return handled;
    }

    /** Ends early for events, tasks and timers, and goes to sleep after that. */
    private int look(IoHandlerContext context) {
        if (spinNs == 0) {
            return events.run(context);
        }
        long endNs = System.nanoTime() + spinNs;
        while (context.canBlock() && System.nanoTime() - endNs < 0) {
            int handled = events.run(withoutWaiting.in(context));
            if (handled > 0) {
                return handled;
            }
            Thread.onSpinWait();
        }
        return events.run(context);
    }

    private static void run(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            LOGGER.warn("a task of a worker failed", e);
        }
    }

    @Override
    public void initialize() {
        events.initialize();
    }

    @Override
    public void prepareToDestroy() {
        events.prepareToDestroy();
    }

    @Override
    public void destroy() {
        events.destroy();
    }

    @Override
    public IoRegistration register(IoHandle handle) throws Exception {
        return events.register(handle);
    }

    @Override
    public void wakeup() {
        events.wakeup();
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
        return events.isCompatible(handleType);
    }

    /** The loop's own view of its round, except that there is something to do. */
    private static final class WithoutWaiting implements IoHandlerContext {
        private IoHandlerContext context;

        IoHandlerContext in(IoHandlerContext context) {
            this.context = context;
            return this;
        }

        @Override
        public boolean canBlock() {
            return false;
        }

        @Override
        public long delayNanos(long currentTimeNanos) {
            return 0;
        }

        @Override
        public long deadlineNanos() {
            return context.deadlineNanos();
        }

        @Override
        public void reportActiveIoTime(long activeNanos) {
            context.reportActiveIoTime(activeNanos);
        }

        @Override
        public boolean shouldReportActiveIoTime() {
            return context.shouldReportActiveIoTime();
        }
    }
}
