package io.rocketbufs.rocketnet;

import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Delayed;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jctools.queues.varhandle.MpscUnboundedVarHandleArrayQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that runs tasks and timers, and handles events in between. It serves as the worker of transports that do not
 * create threads. Subclasses define the source of the events.
 *
 * <p><b>Thread-safety:</b> any thread may call the public methods. Only the thread itself may call the other methods,
 * unless stated otherwise.
 */
public abstract class EventLoop implements Worker {
    private static final Logger LOGGER = LoggerFactory.getLogger(EventLoop.class);
    private static final int CHUNK = 1024;
    private static final int TASKS_PER_ROUND = 256;
    private static final long LONGEST_SLEEP_MS = 60_000;
    /**
     * Number of rounds after which a thread without events reads the clock. Reading the clock takes longer than a short
     * poll.
     */
    private static final int ROUNDS_PER_CLOCK = 16;

    private final Thread thread;
    private final MpscUnboundedVarHandleArrayQueue<Runnable> tasks = new MpscUnboundedVarHandleArrayQueue<>(CHUNK);
    private final PriorityQueue<Timer> timers = new PriorityQueue<>();
    private final AtomicBoolean sleeping = new AtomicBoolean();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final long spinNs;
    /** The {@code System.nanoTime()} since which this thread has found no events. */
    private long idleSince;

    private volatile boolean ending;
    /** True if new tasks are dropped because the thread is ending or has ended. */
    private volatile boolean stopped;

    /**
     * Creates a thread that is not running yet.
     *
     * @param name name of the thread
     * @param spinNs how long to poll for events before blocking, in nanoseconds; 0 blocks immediately
     */
    protected EventLoop(String name, long spinNs) {
        this.spinNs = spinNs;
        thread = new Thread(this::run, name);
        thread.setDaemon(true);
    }

    /** Starts the thread. */
    public final void start() {
        thread.start();
    }

    // Implemented by the subclasses.

    /** Handles the available events, up to a limit. Returns true if there were any events. */
    protected abstract boolean poll();

    /** Returns true if {@link #poll} would find an event that would not end {@link #await}. */
    protected abstract boolean hasEvents();

    /**
     * Blocks until there is an event, {@link #interrupt} is called or the timeout has passed. Returns immediately if
     * there is an event.
     */
    protected abstract void await(long timeoutMs);

    /** Ends {@link #await}. Any thread may call this method. */
    protected abstract void interrupt();

    /** Releases the subclass's resources. Called on the thread as its last action. */
    protected abstract void end();

    // Called by any thread.

    @Override
    public final boolean inWorker() {
        return Thread.currentThread() == thread;
    }

    @Override
    public final void execute(Runnable task) {
        if (!stopped) {
            tasks.offer(task);
            wakeUp();
        }
    }

    /** Runs a task like {@link #execute}, but returns false if the task will not run. */
    public final boolean tryExecute(Runnable task) {
        Offer offer = new Offer(task);
        execute(offer);
        // A task that was offered before the thread stopped will run. A task that was offered later may or may not run,
        // so it is withdrawn.
        return !stopped || !offer.take();
    }

    /** Wakes the thread if it is sleeping. Any thread may call this method. */
    protected final void wakeUp() {
        if (sleeping.get() && sleeping.compareAndSet(true, false)) {
            interrupt();
        }
    }

    /** Returns the thread. */
    public final Thread thread() {
        return thread;
    }

    @Override
    public final Future<?> schedule(Runnable task, long delayMs) {
        Timer timer = new Timer(task, Worker.dueNs(System.nanoTime(), delayMs));
        if (inWorker() && !stopped) {
            timers.add(timer);
        } else if (!tryExecute(() -> timers.add(timer))) {
            timer.cancel(false);
        }
        return timer;
    }

    /**
     * Ends the thread once it has run the queued tasks. The returned future completes after the thread has run its last
     * task.
     */
    public final CompletableFuture<Void> shutDown() {
        if (thread.getState() == Thread.State.NEW) {
            stopped = true;
            ended.complete(null);
        } else {
            execute(() -> ending = true);
        }
        return ended;
    }

    // Called on the thread.

    private void run() {
        try {
            int idleRounds = 0;
            while (!ending) {
                boolean readsClock = idleRounds % ROUNDS_PER_CLOCK == 0;
                if (runTasks() | (readsClock && runTimers()) | guardedPoll()) {
                    idleRounds = 0;
                } else if (readsClock && mustSleep(idleRounds == 0)) {
                    guardedSleep();
                    idleRounds = 0;
                } else {
                    Thread.onSpinWait();
                    idleRounds++;
                }
            }
        } finally {
            stopped = true;
            while (runTasks()) {
                // Repeat until all accepted tasks have run.
            }
            List.copyOf(timers).forEach(timer -> timer.cancel(false));
            end();
            ended.complete(null);
        }
    }

    /** Returns true if this thread has polled without success for long enough and must now block. */
    private boolean mustSleep(boolean begins) {
        if (spinNs == 0) {
            return true;
        }
        long now = System.nanoTime();
        if (begins) {
            idleSince = now;
        }
        return now - idleSince >= spinNs;
    }

    private boolean guardedPoll() {
        try {
            return poll();
        } catch (RuntimeException | Error e) {
            eventsFailed(e);
            return true;
        }
    }

    private void eventsFailed(Throwable cause) {
        LOGGER.error("{}: handling events failed", thread.getName(), cause);
    }

    private void guardedSleep() {
        sleeping.set(true);
        try {
            if (tasks.isEmpty() && !hasEvents() && !ending) {
                await(timeoutMs());
            }
        } catch (RuntimeException | Error e) {
            eventsFailed(e);
        }
        sleeping.set(false);
    }

    private long timeoutMs() {
        Timer first = timers.peek();
        if (first == null) {
            return LONGEST_SLEEP_MS;
        }
        // Rounded up, so that the thread does not wake up just before the timer is due.
        long left = TimeUnit.NANOSECONDS.toMillis(first.dueNs - System.nanoTime() + 999_999);
        return Math.max(0, Math.min(LONGEST_SLEEP_MS, left));
    }

    /**
     * Runs a limited number of the queued tasks, but not the tasks that these tasks add, so that events are handled in
     * between. Returns true if there were any tasks.
     */
    private boolean runTasks() {
        int count = Math.min(tasks.size(), TASKS_PER_ROUND);
        for (int i = 0; i < count; i++) {
            Runnable task = tasks.poll();
            if (task != null) {
                runGuarded(task);
            }
        }
        return count > 0;
    }

    private boolean runTimers() {
        if (timers.isEmpty()) {
            return false;
        }
        long now = System.nanoTime();
        boolean any = false;
        for (Timer first = timers.peek(); first != null && first.dueNs - now <= 0; first = timers.peek()) {
            timers.poll();
            first.run();
            any = true;
        }
        return any;
    }

    /** Runs a task. An exception does not end the thread. */
    protected final void runGuarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            taskFailed(e);
        }
    }

    /** Logs an exception thrown by a task. */
    protected final void taskFailed(Throwable cause) {
        LOGGER.error("{}: a task failed", thread.getName(), cause);
    }

    /** A task that runs unless it is withdrawn first. */
    private static final class Offer extends AtomicBoolean implements Runnable {
        private static final long serialVersionUID = 1L;

        private final transient Runnable task;

        Offer(Runnable task) {
            this.task = task;
        }

        /** Claims the task. Returns true only to the first caller. */
        boolean take() {
            return compareAndSet(false, true);
        }

        @Override
        public void run() {
            if (take()) {
                task.run();
            }
        }
    }

    /** A task with its due time. Cancelling the task removes it from the timers. */
    private final class Timer extends FutureTask<Void> implements Delayed {
        private final long dueNs;

        Timer(Runnable task, long dueNs) {
            super(() -> runGuarded(task), null);
            this.dueNs = dueNs;
        }

        @Override
        protected void done() {
            if (!isCancelled()) {
                return;
            }
            if (inWorker()) {
                timers.remove(this);
            } else {
                execute(() -> timers.remove(this));
            }
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(dueNs - System.nanoTime(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(dueNs - ((Timer) other).dueNs, 0);
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }
}
