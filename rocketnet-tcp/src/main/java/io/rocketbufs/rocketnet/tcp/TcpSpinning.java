package io.rocketbufs.rocketnet.tcp;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;

/**
 * An I/O handler that polls for events for a limited time before it blocks.
 *
 * <p><b>Thread-safety:</b> belongs to the worker, except {@link #wakeup}, which any thread may call.
 */
final class TcpSpinning implements IoHandler {
    private final IoHandler events;
    private final long spinNs;
    private final WithoutWaiting withoutWaiting = new WithoutWaiting();

    /** Creates a handler that polls for {@code spinNs} before it blocks. */
    TcpSpinning(IoHandler events, long spinNs) {
        this.events = events;
        this.spinNs = spinNs;
    }

    /** Polls until there are events, tasks or due timers. Blocks after polling for {@code spinNs}. */
    @Override
    public int run(IoHandlerContext context) {
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

    /** The loop's own context, except that it does not allow blocking. */
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
