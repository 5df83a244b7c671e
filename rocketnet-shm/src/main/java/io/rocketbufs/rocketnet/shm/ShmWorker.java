package io.rocketbufs.rocketnet.shm;

import io.rocketbufs.rocketnet.Worker;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jctools.queues.varhandle.MpscUnboundedVarHandleArrayQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that serves connections. It looks into the memory of those that are awake, and waits for the sockets of all.
 * A connection without data goes to sleep, and its peer then wakes it; when all sleep, the thread blocks.
 *
 * <p><b>Thread-safety:</b> any thread may call the methods of {@link Worker}, {@link #tryExecute}, {@link #beginEnd}
 * and {@link #end}; all other methods belong to the thread itself.
 */
final class ShmWorker implements Worker {
    private static final Logger LOGGER = LoggerFactory.getLogger(ShmWorker.class);
    private static final int CHUNK = 1024;
    /**
     * While there is data to move, the sockets are looked at only once in this many rounds, because that is a system
     * call. They report new connections, the ends of peers, and the data of connections that sleep.
     */
    private static final int ROUNDS_PER_LOOK = 8;

    private static final int TASKS_PER_ROUND = 256;
    private static final int LONGEST_SLEEP_MS = 60_000;

    private final Thread thread;
    private final ShmEpoll epoll;
    private final long spinNs;
    private final MpscUnboundedVarHandleArrayQueue<Runnable> tasks = new MpscUnboundedVarHandleArrayQueue<>(CHUNK);
    private final PriorityQueue<ShmTimer> timers = new PriorityQueue<>();
    private final AtomicBoolean sleeping = new AtomicBoolean();
    private final CompletableFuture<Void> empty = new CompletableFuture<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final List<ShmConnection> awake = new ArrayList<>();
    /** Owners of the sockets, by descriptor. */
    private ShmEndpoint[] endpoints = new ShmEndpoint[64];

    private boolean aborting;
    private boolean ending;
    /** True when new tasks are dropped, because the thread has ended. */
    private volatile boolean stopped;

    ShmWorker(int number, long spinNs) throws ShmException {
        this.spinNs = spinNs;
        epoll = new ShmEpoll();
        thread = new Thread(this::run, "rocketnet-shm-worker-" + number);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public boolean inWorker() {
        return Thread.currentThread() == thread;
    }

    @Override
    public void execute(Runnable task) {
        if (stopped) {
            return;
        }
        tasks.offer(task);
        if (sleeping.get() && sleeping.compareAndSet(true, false)) {
            epoll.interrupt();
        }
    }

    /** Like {@link #execute}, but returns false if the task will not run. */
    boolean tryExecute(Runnable task) {
        AtomicBoolean taken = new AtomicBoolean();
        execute(() -> {
            if (taken.compareAndSet(false, true)) {
                task.run();
            }
        });
        // A task that was offered before the thread stopped will run. A later one may or may not run, so it is
        // withdrawn.
        return !stopped || !taken.compareAndSet(false, true);
    }

    @Override
    public Future<?> schedule(Runnable task, long delayMs) {
        ShmTimer timer = new ShmTimer(() -> runGuarded(task), delayMs, this::forget);
        if (inWorker()) {
            timers.add(timer);
        } else if (!tryExecute(() -> timers.add(timer))) {
            timer.cancel(false);
        }
        return timer;
    }

    private void forget(ShmTimer timer) {
        if (inWorker()) {
            timers.remove(timer);
        } else {
            execute(() -> timers.remove(timer));
        }
    }

    /** Registers the owner of a socket. Returns false if the transport is being closed. */
    boolean add(ShmSocket socket, ShmEndpoint endpoint) {
        if (aborting) {
            return false;
        }
        replace(socket, endpoint);
        return true;
    }

    /** Changes the owner of a socket. */
    void replace(ShmSocket socket, ShmEndpoint endpoint) {
        int descriptor = socket.descriptor();
        if (descriptor >= endpoints.length) {
            endpoints = Arrays.copyOf(endpoints, Math.max(descriptor + 1, 2 * endpoints.length));
        }
        endpoints[descriptor] = endpoint;
    }

    /** Stops reporting the events of a socket to its owner. */
    void ignore(ShmSocket socket) {
        epoll.remove(socket.descriptor());
    }

    /** Begins to report the events of a socket to its owner. */
    void watch(ShmSocket socket) throws ShmException {
        epoll.add(socket.descriptor());
    }

    /** Forgets a socket, which is still open. It need not have been added. */
    void remove(ShmSocket socket) {
        int descriptor = socket.descriptor();
        epoll.remove(descriptor);
        if (descriptor < endpoints.length) {
            endpoints[descriptor] = null;
        }
        completeWhenEmpty();
    }

    /** Polls a connection until it sleeps. */
    void wake(ShmConnection connection) {
        awake.add(connection);
    }

    /** Notifies all endpoints that the transport is closed. The result completes when they have closed. */
    CompletableFuture<Void> beginEnd() {
        if (!tryExecute(this::abortAll)) {
            empty.complete(null);
        }
        return empty;
    }

    private void abortAll() {
        aborting = true;
        remaining().forEach(ShmEndpoint::abort);
        completeWhenEmpty();
    }

    private void completeWhenEmpty() {
        if (aborting && remaining().isEmpty()) {
            empty.complete(null);
        }
    }

    private List<ShmEndpoint> remaining() {
        return Arrays.stream(endpoints).filter(Objects::nonNull).toList();
    }

    /** Closes the remaining endpoints and ends the thread. The result completes after its last task. */
    CompletableFuture<Void> end() {
        execute(() -> {
            aborting = true;
            remaining().forEach(endpoint -> runGuarded(endpoint::close));
            ending = true;
        });
        return ended;
    }

    private void run() {
        try {
            long idleSince = 0;
            int rounds = 0;
            while (!ending) {
                boolean busy = runTasks() | runTimers() | pollAwake();
                if ((busy || spinNs > 0) && (++rounds % ROUNDS_PER_LOOK == 0 || !busy)) {
                    busy |= handleEvents(0);
                }
                if (busy) {
                    idleSince = 0;
                } else if (spinNs > 0 && idleSince == 0) {
                    idleSince = System.nanoTime();
                } else if (spinNs == 0 || System.nanoTime() - idleSince >= spinNs) {
                    sleep();
                    idleSince = 0;
                } else {
                    Thread.yield();
                }
            }
        } finally {
            stopped = true;
            while (runTasks()) {
                // Repeated until all accepted tasks have run.
            }
            List.copyOf(timers).forEach(timer -> timer.cancel(false));
            epoll.close();
            ended.complete(null);
        }
    }

    private boolean pollAwake() {
        boolean busy = false;
        for (int i = 0; i < awake.size(); i++) {
            busy |= awake.get(i).poll();
        }
        return busy;
    }

    /** Blocks, unless a connection or a task turns out to have work. */
    private void sleep() {
        for (int i = awake.size() - 1; i >= 0; i--) {
            if (awake.get(i).sleep()) {
                awake.set(i, awake.get(awake.size() - 1));
                awake.remove(awake.size() - 1);
            }
        }
        sleeping.set(true);
        boolean idle = awake.isEmpty() && tasks.isEmpty();
        int events = epoll.await(idle ? timeoutMs() : 0);
        sleeping.set(false);
        dispatch(events);
    }

    private boolean handleEvents(int timeoutMs) {
        int events = epoll.await(timeoutMs);
        dispatch(events);
        return events > 0;
    }

    private void dispatch(int events) {
        for (int i = 0; i < events; i++) {
            int descriptor = epoll.descriptor(i);
            ShmEndpoint endpoint = descriptor < 0 ? null : endpoints[descriptor];
            if (endpoint != null) {
                ready(endpoint);
            }
        }
    }

    private int timeoutMs() {
        ShmTimer first = timers.peek();
        return first == null ? LONGEST_SLEEP_MS : (int) Math.min(LONGEST_SLEEP_MS, first.leftMs());
    }

    /** Runs a limited number of tasks, so that events are handled in between. Returns true if there was any. */
    private boolean runTasks() {
        int count = 0;
        for (; count < TASKS_PER_ROUND; count++) {
            Runnable task = tasks.poll();
            if (task == null) {
                break;
            }
            runGuarded(task);
        }
        return count > 0;
    }

    private boolean runTimers() {
        boolean any = false;
        for (ShmTimer first = timers.peek(); first != null && first.isDue(); first = timers.peek()) {
            timers.poll();
            first.run();
            any = true;
        }
        return any;
    }

    /** Reports an event. Not through {@link #runGuarded}, because a task would be allocated for each wake-up. */
    private void ready(ShmEndpoint endpoint) {
        try {
            endpoint.ready();
        } catch (RuntimeException | Error e) {
            logFailure(e);
        }
    }

    /** Runs a task. An exception does not end the thread. */
    private void runGuarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            logFailure(e);
        }
    }

    private void logFailure(Throwable cause) {
        LOGGER.error("{}: a task failed", thread.getName(), cause);
    }
}
