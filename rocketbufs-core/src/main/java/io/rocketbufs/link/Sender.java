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
 * The sending side of one connection: the thread that holds its {@link Token} sends for all.
 *
 * <p>Any thread makes a {@link SendTask} ready and then tries to take the token. The holder serves the control queue
 * and the ready tasks, one transfer each, until nothing is left or the transport is full. A thread that comes too late
 * leaves a mark, which the holder sees when it lets go. So no thread waits, and no work is forgotten.
 *
 * <p>A producer that delivers now and then writes on its own thread, which saves a wake-up. When it comes back several
 * times sooner than its write took, the token goes to the worker, which comes back through its own queue after each
 * pass, so that what gathers in the meantime leaves in one write. That goes on until the producer pauses and few
 * deliveries gather; the {@link BurstDetector} judges.
 *
 * <p><b>Thread-safety:</b> as each method says. <b>Source:</b> deviates from RocketBufs 3.5, where only worker threads
 * do network operations, for latency and to forward spliced transfers without a thread hop.
 */
public final class Sender {
    /** Tasks served before others on the same worker get their share. */
    private static final int TASKS_PER_PASS = 64;
    /** Passes on behalf of others before the worker takes over. */
    private static final int MAX_PASSES = 8;

    /**
     * The life of a sending side, which only goes forward:
     *
     * <pre>
     *   QUEUING --open--&gt; OPEN --finish--&gt; FINISHING ----------------+--&gt; FINISHED --close--&gt; CLOSED
     *      |                |                  | finishEarly           |                        ^
     *      |                +------------------+------&gt; TRUNCATING ----+                        |
     *      +--------- from any state: a failure -----&gt; BROKEN ----------------------------------+
     * </pre>
     */
    private enum Phase {
        /** Messages and tasks gather; the first message of all is still to come. */
        QUEUING,
        OPEN,
        /** What waits is sent, then the connection is half-closed. New control messages are dropped. */
        FINISHING,
        /** Only what is committed is sent. */
        TRUNCATING,
        FINISHED,
        BROKEN,
        /** The token is held for good. */
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
    /** The transport has said that it may take something again. */
    private volatile boolean writable;

    // Under the token.
    private final WriteRequest request;
    private final ByteBuffer scratch = ByteBuffer.allocateDirect(64);
    private final WritesInFlight inFlight = new WritesInFlight();
    private final BurstDetector bursts = new BurstDetector();
    /** The transport takes nothing now. */
    private boolean blocked;
    /** Another task follows the present one, so that many short writes may leave as one. */
    private boolean moreReady;
    /** Frames of any kind sent that the peer hears of. For metrics and the heartbeat, which may see it late. */
    private long sentCount;

    /**
     * Makes the sending side of a connection.
     *
     * @param onFinished run on the worker once, when nothing more is sent after {@link #finish()}
     * @param onClosing run on the worker once, with the token held for good, after {@link #close()}
     * @param onFailure called with an exception thrown while sending; nothing is sent any more
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

    /** Lets a new task begin: from now on it is taken when it has work. */
    public void start(SendTask task) {
        ready.add(task);
        sendReady();
    }

    /** Makes a resting task ready because it has work. {@link #sendReady} must follow. */
    public void signal(SendTask task) {
        if (task.signal()) {
            ready.add(task);
        }
    }

    /** Makes a parked task ready because its peer has sent news. {@link #sendReady} must follow. */
    public void unpark(SendTask task) {
        if (task.unpark()) {
            ready.add(task);
        }
    }

    /** Asks something of a task, whatever it waits for, and sends. */
    public void request(SendTask task, int bits) {
        if (task.request(bits)) {
            ready.add(task);
        }
        sendReady();
    }

    /** Asks a task to give back memory that a producer waits for, also while the transport takes nothing. */
    public void relieve(SendTask task) {
        reliefs.add(task);
        // The worker may be far away; the caller needs the memory now.
        if (token.takeQueued() || token.tryEnter()) {
            drain();
        }
    }

    /** Sends what is ready on this thread, unless another thread holds the token. */
    public void sendReady() {
        if ((ready.hasAdded() || !control.isEmpty()) && token.tryEnter()) {
            drain();
        }
    }

    /**
     * Makes a resting task ready for a producer after {@code deliveries} in all: sends here, or leaves a burst to the
     * worker.
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

    /** Sends the first message of all; what was queued until now follows it. */
    public void open(ByteBuffer first) {
        control.offerFirst(first);
        advance(Phase.OPEN);
        sendReady();
    }

    /** Drops what was queued if nothing was ever sent: what follows is the first message and the last. */
    public void openEmpty() {
        if (phase.get() == Phase.QUEUING) {
            control.clear();
            advance(Phase.OPEN);
        }
    }

    /** Queues a control message and tries to send it; returns false when more than {@code limit} bytes would wait. */
    boolean sendControl(ByteBuffer message, int limit) {
        if (isPast(Phase.OPEN)) {
            // The last message is queued: an answer to what still arrives is of no use to the peer.
            return true;
        }
        if (!control.offer(message, limit)) {
            return false;
        }
        sendReady();
        return true;
    }

    /** Tells that the transport may take something again. */
    public void onWritable() {
        writable = true;
        enter();
    }

    /** Tells that posted writes have completed. */
    public void onCompleted(int count) {
        completions.addAndGet(count);
        onWritable();
    }

    /** Half-closes the connection once all that waits is sent; control messages from now on are dropped. */
    public void finish() {
        advance(Phase.FINISHING);
        enter();
    }

    /** Half-closes the connection once what is committed is sent, so that the peer's reading ends well. */
    public void finishEarly() {
        advance(Phase.TRUNCATING);
        enter();
    }

    /** Takes the token for good; {@code onClosing} follows on the worker. */
    public void close() {
        advance(Phase.CLOSED);
        enter();
    }

    /** Returns the number of frames sent so far. */
    public long sentCount() {
        return sentCount;
    }

    // Under the token, by tasks.

    /** Returns true when the transport takes nothing now. */
    public boolean isBlocked() {
        return blocked;
    }

    /** Returns the request that a task fills and posts. */
    public WriteRequest request() {
        return request;
    }

    /** Returns true when a control message has been queued since the last was sent. */
    public boolean hasControl() {
        return !control.isEmpty();
    }

    /** Returns memory for a short message that is sent at once. */
    public ByteBuffer scratch() {
        return scratch;
    }

    /** Sends a short message at once; returns false when the transport takes nothing now. */
    public boolean send(ByteBuffer message) {
        boolean sent = connection.send(message) == PostResult.SENT;
        sentCount += sent ? 1 : 0;
        return sent;
    }

    /**
     * Writes a number into a word of the peer's; returns false when the transport takes nothing now. The peer does not
     * hear of it, so it is no sign of life.
     */
    public boolean writeWord(RemoteAccess word, long value) {
        return connection.writeWord(word, value) == PostResult.SENT;
    }

    /** Posts the request; {@link #posted} must follow when it is accepted. */
    public PostResult post() {
        if (inFlight.isFull()) {
            return PostResult.NO_WINDOW;
        }
        request.more(moreReady);
        PostResult result = connection.write(request);
        if (result == PostResult.SENT || result == PostResult.POSTED) {
            sentCount++;
        }
        return result;
    }

    /** Notes an accepted write; its owner hears of the completion with {@code end}. */
    public void posted(WriteOwner owner, long end, PostResult result) {
        inFlight.add(owner, end, result == PostResult.SENT);
    }

    /** Frees the local memory that committed writes still use, where the transport can. */
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

    /** Serves until nothing is left and the token is free; after some passes the worker goes on. */
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

    /** Takes the token that was handed over; comes back through the worker's queue as long as there is work. */
    private void continueOnWorker() {
        if (!token.takeQueued()) {
            // A thread that could not wait has taken it, and served.
            return;
        }
        if (phase.get() == Phase.CLOSED) {
            onClosing.run();
        } else if (pass() || hasWork() || !token.tryLeave()) {
            handOver();
        }
    }

    /**
     * Serves what is ready; returns true when something was sent. A failure ends the connection, not the thread, and
     * the token is let go anyway.
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
        // As it is now: a connection that is closed under way still gets its GOODBYE out.
        Phase now = phase.get();
        boolean open = now == Phase.OPEN || now == Phase.FINISHING;
        completePosted();
        if (writable) {
            writable = false;
            // Also when nothing is blocked: the rest of the last write may wait for this, with nothing behind it.
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
            // What could not be sent gives way now, and what that makes ready is sent too.
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
        // Control first, each time: what a task sends may rest on a message queued just before it became ready.
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
