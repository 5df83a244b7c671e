package io.rocketbufs.link;

import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.WriteRequest;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * The sending side of one connection. The thread that holds its {@link Token} sends for all threads.
 *
 * <p>Any thread makes a {@link SendTask} ready and then tries to acquire the token. The holder serves the control queue
 * and the ready tasks, one transfer each, until no work is left or the transport is full. A thread that cannot acquire
 * the token leaves a mark, which the holder sees when it releases the token. No thread waits, and no work is lost.
 *
 * <p>A producer that delivers occasionally writes on its own thread, which saves a wake-up. The token passes to the
 * worker if several deliveries in a row follow the previous write in less time than that write took. The worker
 * requeues itself after each pass, so that one write sends the deliveries that accumulate between passes. When the
 * producer pauses and few deliveries accumulate, the {@link BurstDetector} returns the writing to the producer.
 *
 * <p><b>Thread-safety:</b> documented for each method. <b>Source:</b> deviates from RocketBufs 3.5, where only worker
 * threads perform network operations. Here, latency is lower, and spliced transfers are forwarded without a thread hop.
 */
public final class Sender {
    /** Maximum number of tasks served in one pass, before other connections on the same worker are served. */
    private static final int TASKS_PER_PASS = 64;
    /** Maximum number of passes that a thread makes for other threads before the worker takes over. */
    private static final int MAX_PASSES = 8;

    /**
     * The phases of a sending side, which only move forward:
     *
     * <pre>
     *   QUEUING --open--&gt; OPEN --finish--&gt; FINISHING ----------------+--&gt; FINISHED --close--&gt; CLOSED
     *      |                |                  | finishEarly           |                        ^
     *      |                +------------------+------&gt; TRUNCATING ----+                        |
     *      +--------- from any state: a failure -----&gt; BROKEN ----------------------------------+
     * </pre>
     */
    private enum Phase {
        /** Messages and tasks are queued; the first message has not been sent. */
        QUEUING,
        OPEN,
        /** Everything that is waiting is sent; the connection is then half-closed. New control messages are dropped. */
        FINISHING,
        /** Only committed writes are sent. */
        TRUNCATING,
        FINISHED,
        BROKEN,
        /** The token is held permanently. */
        CLOSED
    }

    private final TransportConnection connection;
    private final ControlQueue control = new ControlQueue();
    private final Token token = new Token();
    private final ReadyTasks ready = new ReadyTasks();
    private final ReliefRequests reliefs = new ReliefRequests();
    private final AtomicInteger completions = new AtomicInteger();
    private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.QUEUING);
    private final Runnable continueOnWorker = this::continueOnWorker;
    private final Runnable onClosing;
    private final Runnable onFinished;
    private final Consumer<Throwable> onFailure;
    /** True once the transport has reported that it may accept writes again. */
    private volatile boolean writable;
    /** True while the worker gathers ready tasks; other threads ignore it. */
    private boolean gathering;

    // Under the token.
    private final WriteRequest request;
    private final ByteBuffer scratch = ByteBuffer.allocateDirect(64);
    private final WritesInFlight inFlight = new WritesInFlight();
    private final BurstDetector bursts = new BurstDetector();
    /** True while the transport accepts nothing. */
    private boolean blocked;
    /** True if another task follows the current one, so that many short writes may be combined. */
    private boolean moreReady;
    /**
     * Number of frames sent, counting only frames that notify the peer. Metrics and the heartbeat may see an older
     * value.
     */
    private long sentCount;

    /**
     * Creates the sending side of a connection.
     *
     * @param onFinished run once, on the worker, when sending has ended after {@link #finish()}
     * @param onClosing run once, on the worker, with the token held permanently, after {@link #close()}
     * @param onFailure called with an exception thrown while sending; nothing is sent after that
     */
    public Sender(
            TransportConnection connection, Runnable onFinished, Runnable onClosing, Consumer<Throwable> onFailure) {
        this.connection = connection;
        this.onFinished = onFinished;
        this.onClosing = onClosing;
        this.onFailure = onFailure;
        this.request = new WriteRequest(connection.capabilities().vecsPerWrite());
    }

    // Tasks, by any thread.

    /** Starts a new task. After that, the task is served whenever it has work. */
    public void start(SendTask task) {
        ready.add(task);
        sendReady();
    }

    /** Makes a resting task ready because it has work. A call to {@link #sendReady} must follow. */
    public void signal(SendTask task) {
        if (task.signal()) {
            ready.add(task);
        }
    }

    /** Makes a parked task ready after a message from its peer. A call to {@link #sendReady} must follow. */
    public void unpark(SendTask task) {
        if (task.unpark()) {
            ready.add(task);
        }
    }

    /** Sends a request to a task, even if the task is parked, and serves everything that is ready. */
    public void request(SendTask task, int bits) {
        if (task.request(bits)) {
            ready.add(task);
        }
        sendReady();
    }

    /** Asks a task to release memory that a producer is waiting for, even while the transport accepts nothing. */
    public void relieve(SendTask task) {
        reliefs.add(task);
        // The worker may be busy, and the caller needs the memory immediately.
        if (token.takeQueued() || token.tryEnter()) {
            drain();
        }
    }

    /** Serves, on the calling thread, everything that is ready, unless another thread holds the token. */
    public void sendReady() {
        if (gathering && connection.worker().inWorker()) {
            return;
        }
        if ((ready.hasAdded() || !control.isEmpty()) && token.tryEnter()) {
            drain();
        }
    }

    /** Runs an action on the worker, and then serves, in one pass, everything that the action has made ready. */
    public void gather(Runnable action) {
        gathering = true;
        try {
            action.run();
        } finally {
            gathering = false;
            sendReady();
        }
    }

    /**
     * Makes a resting task ready. Called for a producer that has made {@code deliveries} deliveries in total. Sends on
     * the calling thread, unless the deliveries form a burst, which is left to the worker.
     */
    public void signalFromProducer(SendTask task, long deliveries) {
        if (!task.signal()) {
            return;
        }
        ready.add(task);
        if (!token.tryEnter()) {
            return;
        }
        if (blocked || connection.worker().inWorker()) {
            drain();
            return;
        }
        long startNs = System.nanoTime();
        if (bursts.isBurst(task.gathered(deliveries), startNs)) {
            handOver();
        } else {
            sendInline(startNs);
        }
    }

    // Control messages and the life of the connection, by any thread.

    /** Sends the first message of the connection, ahead of everything that is already queued. */
    public void open(ByteBuffer first) {
        control.offerFirst(first);
        advance(Phase.OPEN);
        sendReady();
    }

    /** Drops all queued messages if none has been sent. The next message is then the only message. */
    public void openEmpty() {
        if (phase.get() == Phase.QUEUING) {
            control.clear();
            advance(Phase.OPEN);
        }
    }

    /** Queues a message and tries to send it; returns false if more than {@code limit} bytes would be waiting. */
    boolean sendControl(ByteBuffer message, int limit) {
        if (isPast(Phase.OPEN)) {
            // The last message is already queued. The peer does not need answers to messages that still arrive.
            return true;
        }
        if (!control.offer(message, limit)) {
            return false;
        }
        sendReady();
        return true;
    }

    /** Called when the transport may accept writes again. */
    public void onWritable() {
        writable = true;
        enter();
    }

    /** Called when posted writes have completed. */
    public void onCompleted(int count) {
        completions.addAndGet(count);
        onWritable();
    }

    /** Half-closes the connection after sending everything that is waiting. New control messages are dropped. */
    public void finish() {
        advance(Phase.FINISHING);
        enter();
    }

    /** Half-closes the connection after sending all committed data, so that the peer reads no truncated write. */
    public void finishEarly() {
        advance(Phase.TRUNCATING);
        enter();
    }

    /** Acquires the token permanently; {@code onClosing} follows on the worker. */
    public void close() {
        advance(Phase.CLOSED);
        enter();
    }

    /** Returns the number of frames sent so far. */
    public long sentCount() {
        return sentCount;
    }

    // Under the token, by tasks.

    /** Returns true while the transport accepts nothing. */
    public boolean isBlocked() {
        return blocked;
    }

    /** Returns the request that a task fills in and posts. */
    public WriteRequest request() {
        return request;
    }

    /** Returns true if a control message is waiting to be sent. */
    public boolean hasControl() {
        return !control.isEmpty();
    }

    /** Returns memory for a short message that is sent immediately. */
    public ByteBuffer scratch() {
        return scratch;
    }

    /** Sends a short message immediately; returns false if the transport currently accepts nothing. */
    public boolean send(ByteBuffer message) {
        boolean sent = connection.send(message, moreReady) == PostResult.SENT;
        sentCount += sent ? 1 : 0;
        return sent;
    }

    /**
     * Writes a number into a word that the peer has lent; returns false if the transport currently accepts nothing. The
     * peer is not notified, so the write does not replace a heartbeat.
     */
    public boolean writeWord(RemoteAccess word, long value) {
        return connection.writeWord(word, value) == PostResult.SENT;
    }

    /** Posts the request. If it is accepted, a call to {@link #posted} must follow. */
    public PostResult post() {
        return post(false);
    }

    /**
     * Posts the request like {@link #post()}.
     *
     * @param followed true if the same task will post another write the next time it runs
     */
    public PostResult post(boolean followed) {
        if (inFlight.isFull()) {
            return PostResult.NO_WINDOW;
        }
        request.more(moreReady || followed);
        PostResult result = connection.write(request);
        if (result == PostResult.SENT || result == PostResult.POSTED) {
            sentCount++;
        }
        return result;
    }

    /**
     * Posts the request as a put, without notifying the peer. If it is accepted, a call to {@link #posted} must follow.
     */
    public PostResult put(boolean followed) {
        if (inFlight.isFull()) {
            return PostResult.NO_WINDOW;
        }
        request.more(moreReady || followed);
        return connection.put(request);
    }

    /** Records an accepted write. On completion, its owner is called with {@code end}. */
    public void posted(WriteOwner owner, long end, PostResult result) {
        inFlight.add(owner, end, result == PostResult.SENT);
    }

    /** Frees the local memory that committed writes still use, if the transport can withdraw them. */
    public void withdraw() {
        inFlight.complete(Math.max(0, connection.withdraw()));
    }

    // Private.

    private boolean isPast(Phase of) {
        return phase.get().compareTo(of) > 0;
    }

    private void advance(Phase to) {
        phase.accumulateAndGet(to, (now, next) -> next.compareTo(now) > 0 ? next : now);
    }

    private void enter() {
        if (token.tryEnter()) {
            drain();
        }
    }

    private void handOver() {
        token.queue();
        connection.worker().execute(continueOnWorker);
    }

    /** Serves until no work is left and the token is free. After {@link #MAX_PASSES} passes, the worker takes over. */
    private void drain() {
        for (int passes = 0; ; passes++) {
            if (phase.get() == Phase.CLOSED) {
                connection.worker().execute(onClosing);
                return;
            }
            pass();
            if (hasWork()) {
                handOver();
                return;
            }
            if (token.tryLeave()) {
                return;
            }
            if (passes == MAX_PASSES) {
                handOver();
                return;
            }
        }
    }

    private void sendInline(long startNs) {
        pass();
        bursts.wrote(startNs, System.nanoTime());
        if (hasWork()) {
            handOver();
        } else if (!token.tryLeave()) {
            drain();
        }
    }

    /** Acquires the token that was handed over to the worker; requeues itself on the worker while there is work. */
    private void continueOnWorker() {
        if (!token.takeQueued()) {
            // Another thread, which could not wait for this worker, has acquired the token and has done the work.
            return;
        }
        if (phase.get() == Phase.CLOSED) {
            onClosing.run();
        } else if (pass() || hasWork() || !token.tryLeave()) {
            handOver();
        }
    }

    /**
     * Serves everything that is ready; returns true if a frame was sent. A failure ends the connection but not the
     * thread, and does not prevent the release of the token.
     */
    private boolean pass() {
        long before = sentCount;
        try {
            if (phase.get() != Phase.BROKEN) {
                serve();
            }
        } catch (RuntimeException | Error e) {
            advance(Phase.BROKEN);
            onFailure.accept(e);
        }
        return sentCount != before;
    }

    private void serve() {
        // The phase is read only once, so that a connection that is closed during this pass still sends its GOODBYE.
        Phase now = phase.get();
        boolean open = now == Phase.OPEN || now == Phase.FINISHING;
        completePosted();
        if (writable) {
            writable = false;
            // This call is needed even if nothing is blocked: if no other write follows, it sends the rest of the last
            // write.
            inFlight.complete(connection.progress());
            blocked = false;
        }
        if (!reliefs.isEmpty()) {
            reliefs.serve();
        }
        if (open && !blocked) {
            serveTasks();
        }
        if (!reliefs.isEmpty()) {
            // Tasks that could not send now release memory. Tasks that become ready as a result are then served.
            completePosted();
            reliefs.serve();
            if (open && !blocked) {
                serveTasks();
            }
        }
        connection.push();
        finishIfDue();
    }

    private void completePosted() {
        if (completions.get() != 0) {
            inFlight.complete(completions.getAndSet(0));
        }
    }

    private void finishIfDue() {
        Phase now = phase.get();
        boolean due = now == Phase.TRUNCATING || now == Phase.FINISHING && isIdle();
        if (due && inFlight.isEmpty() && phase.compareAndSet(now, Phase.FINISHED)) {
            connection.finish();
            connection.worker().execute(onFinished);
        }
    }

    private boolean isIdle() {
        return ready.first() == null && !blocked && control.isEmpty();
    }

    private boolean hasWork() {
        Phase now = phase.get();
        return ready.first() != null && !blocked && (now == Phase.OPEN || now == Phase.FINISHING);
    }

    private boolean sendControlQueue() {
        if (control.isEmpty()) {
            return true;
        }
        sentCount++;
        blocked = control.sendTo(connection) != PostResult.SENT;
        return !blocked;
    }

    private void serveTasks() {
        ready.collect();
        // Control messages are sent before each task is served, because the task's data may depend on a message that
        // was queued just before the task became ready.
        for (int budget = TASKS_PER_PASS; sendControlQueue() && ready.first() != null && budget > 0; budget--) {
            SendTask task = ready.first();
            moreReady = task.next != null && budget > 1;
            SendTask.Outcome outcome = task.take(task.takeRequests());
            if (outcome == SendTask.Outcome.BLOCKED) {
                blocked = true;
                return;
            }
            ready.removeFirst();
            if (outcome == SendTask.Outcome.AGAIN || !task.rest(outcome)) {
                ready.append(task);
            }
            ready.collect();
        }
    }
}
