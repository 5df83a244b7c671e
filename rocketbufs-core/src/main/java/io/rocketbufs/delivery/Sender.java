package io.rocketbufs.delivery;

import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.WriteRequest;
import io.rocketbufs.wire.ControlLayout;
import io.rocketbufs.wire.ControlType;
import io.rocketbufs.wire.GapLayout;
import io.rocketbufs.wire.PositionLayout;
import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * The sending side of one connection: whoever holds its token sends for all.
 *
 * <p>Any thread makes a {@link Turn} ready and then tries to take the token. Who gets it serves the control queue and
 * the ready turns, one transfer each, until nothing is left or the transport is full. Who does not get it leaves a
 * mark, which the holder sees when it lets go. So nobody waits, and no work is forgotten.
 *
 * <p>A producer that delivers now and then writes on its own thread, which saves a wake-up. When it comes back several
 * times sooner than its write took, it is in a hurry: then the token goes to the worker, which comes back through its
 * own queue after each pass, so that what gathers meanwhile leaves in one write. That goes on until the producer pauses
 * and few deliveries gather; {@link BurstWatch} judges.
 *
 * <p><b>Thread-safety:</b> as told per method. <b>Source:</b> deviates from RocketBufs 3.5, where worker threads alone
 * do network operations, for latency and to forward spliced transfers without a thread hop.
 */
final class Sender {
    /** Turns served before others on the same worker get theirs. */
    private static final int TURNS_PER_PASS = 64;

    private static final int FREE = 0;
    private static final int HELD = 1;
    private static final int MARKED = 2;
    /** Nobody runs: a task in the worker's queue is going to take it. Whoever cannot wait for that may take it away. */
    private static final int QUEUED = 3;

    private final TransportConnection connection;
    private final ControlQueue control = new ControlQueue();
    private final AtomicInteger token = new AtomicInteger(FREE);
    private final ReadyTurns ready = new ReadyTurns();
    private final AtomicInteger completions = new AtomicInteger();
    private final Queue<Runnable> afterTurns = new ConcurrentLinkedQueue<>();
    private final Runnable continueOnWorker = this::continueOnWorker;
    private final Runnable send = this::send;
    private final Runnable onClosing;
    private final Runnable onFinished;
    private final Consumer<Throwable> onFailure;
    private volatile boolean opened;
    private volatile boolean writable;
    private volatile boolean closing;
    private volatile boolean finishing;
    private volatile boolean truncating;

    // Under the token.
    private final WriteRequest request;
    private final ByteBuffer scratch = ByteBuffer.allocateDirect(64);
    private final InFlight inFlight = new InFlight();
    private boolean blocked;
    /** Another turn is going to follow the present one, so that many short writes may leave as one. */
    private boolean moreReady;

    private boolean broken;
    private boolean finished;
    private final BurstWatch bursts = new BurstWatch();
    /** Frames of any kind sent that the peer hears of. For metrics and the heartbeat, which may see it late. */
    private long sentCount;

    /**
     * Makes the sending side of a connection.
     *
     * @param onFinished run on the worker once, when nothing more is sent after {@link #finish()}
     * @param onClosing run on the worker once, with the token held for good, after {@link #close()}
     * @param onFailure told what went wrong while sending; nothing is sent any more
     */
    Sender(TransportConnection connection, Runnable onFinished, Runnable onClosing, Consumer<Throwable> onFailure) {
        this.onFailure = onFailure;
        this.onFinished = onFinished;
        this.connection = connection;
        this.onClosing = onClosing;
        this.request = new WriteRequest(connection.capabilities().vecsPerWrite());
    }

    // Any thread.

    /** Makes an idle turn ready. One of the flush methods must follow. */
    void signal(Turn turn) {
        if (turn.leaveIdle()) {
            ready.add(turn);
        }
    }

    /** Makes a parked turn ready. One of the flush methods must follow. */
    void unpark(Turn turn) {
        if (turn.leaveParked()) {
            ready.add(turn);
        }
    }

    /** Makes a turn ready, whatever it waits for, and sends. */
    void wake(Turn turn) {
        turn.wakeUp();
        unpark(turn);
        signal(turn);
        flush();
    }

    /** Sends what is ready on this thread, unless another holds the token. */
    void flush() {
        if ((ready.hasAdded() || !control.isEmpty()) && acquire()) {
            drain();
        }
    }

    /**
     * Makes an idle turn ready for a producer after so many deliveries: sends here, or leaves a burst to the worker.
     */
    void signalFromProducer(Turn turn, long deliveries) {
        if (!turn.leaveIdle()) {
            return;
        }
        ready.add(turn);
        if (!acquire()) {
            return;
        }
        if (blocked || connection.worker().inWorker()) {
            drain();
            return;
        }
        long startNs = System.nanoTime();
        if (bursts.isBurst(turn.gathered(deliveries), startNs)) {
            handOver();
        } else {
            sendInline(startNs);
        }
    }

    /** Sends the first message of all; what was queued until now follows it. */
    void open(ByteBuffer first) {
        control.offerFirst(first);
        opened = true;
        flush();
    }

    /** Gives up what was queued in vain if nothing was ever sent: what follows is the first message and the last. */
    void openUnheard() {
        if (!opened) {
            control.clear();
            opened = true;
        }
    }

    /** Queues a control message and tries to send it; false when more than {@code limit} bytes would wait. */
    boolean sendControl(ByteBuffer message, int limit) {
        if (finishing) {
            // The last word is said: an answer to what still comes is nobody's business any more.
            return true;
        }
        if (!control.offer(message, limit)) {
            return false;
        }
        flush();
        return true;
    }

    /** True when nothing waits to be sent or completed; exact only when nobody else is active. */
    boolean isQuiet() {
        return token.get() == FREE
                && !ready.hasAdded()
                && control.isEmpty()
                && inFlight.isEmpty()
                && ready.first() == null;
    }

    /** The transport may take something again. */
    void onWritable() {
        writable = true;
        if (acquire()) {
            drain();
        }
    }

    /** Posted writes have completed. */
    void onCompleted(int count) {
        completions.addAndGet(count);
        onWritable();
    }

    /** Half-closes the connection once all that waits is sent; control messages from now on are dropped. */
    void finish() {
        finishing = true;
        if (acquire()) {
            drain();
        }
    }

    /** Half-closes the connection once what is committed is sent, so that the peer's reading ends well. */
    void finishEarly() {
        finishing = true;
        truncating = true;
        if (acquire()) {
            drain();
        }
    }

    /** Takes the token for good; {@code onClosing} follows on the worker. */
    void close() {
        closing = true;
        if (acquire()) {
            drain();
        }
    }

    /** Frames sent so far. */
    long sentCount() {
        return sentCount;
    }

    /**
     * Runs something under the token when nobody else sends, and serves what is ready. Who sends just now serves once
     * more.
     *
     * @return false when another thread sends; nothing was run
     */
    boolean tryRun(Runnable action) {
        if (!token.compareAndSet(QUEUED, HELD) && !acquire()) {
            return false;
        }
        if (!closing) {
            guarded(action);
        }
        drain();
        return true;
    }

    /**
     * Runs something under the token once all that can be sent is sent: on this thread, or on the one that holds the
     * token.
     */
    void runWhenServed(Runnable action) {
        afterTurns.add(action);
        if (acquire()) {
            drain();
        }
    }

    // Under the token.

    /** True when the transport takes nothing just now. */
    boolean isBlocked() {
        return blocked;
    }

    /** A cleared request, filled and posted by a subscription's turn. */
    WriteRequest request() {
        return request;
    }

    TransportConnection connection() {
        return connection;
    }

    /** True when a control message has been queued since the last was sent. */
    boolean hasControl() {
        return !control.isEmpty();
    }

    /** Sends a message of a tag and a position at once; false when the transport takes nothing now. */
    boolean send(ControlType type, int tag, long position) {
        ByteBuffer message = ControlLayout.begin(scratch, type, 0);
        PositionLayout.put(message, tag, position);
        return send(message);
    }

    /** Sends word at once that data is left out; false when the transport takes nothing now. */
    boolean sendGap(int tag, long position, long lost) {
        ByteBuffer message = ControlLayout.begin(scratch, ControlType.GAP, 0);
        GapLayout.put(message, tag, position, lost);
        return send(message);
    }

    /**
     * Writes a number into a word of the peer's; false when the transport takes nothing now. The peer does not hear of
     * it, so it is no sign of life.
     */
    boolean writeWord(RemoteAccess word, long value) {
        return connection.writeWord(word, value) == PostResult.SENT;
    }

    /** Posts the request; {@link #posted} must follow when it is accepted. */
    PostResult post() {
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

    /** Takes note of an accepted write for a subscription, whose log position is {@code end} once it has completed. */
    void posted(Subscription subscription, long end, PostResult result) {
        inFlight.add(subscription.hold(), end, result == PostResult.SENT);
    }

    /** Frees the local memory that committed writes still use, where the transport can. */
    void withdraw() {
        inFlight.complete(Math.max(0, connection.withdraw()));
    }

    // Private.

    private boolean send(ByteBuffer message) {
        boolean sent = connection.send(ControlLayout.end(message)) == PostResult.SENT;
        sentCount += sent ? 1 : 0;
        return sent;
    }

    private boolean acquire() {
        while (true) {
            int state = token.get();
            if (state == FREE) {
                if (token.compareAndSet(FREE, HELD)) {
                    return true;
                }
            } else if (state != HELD || token.compareAndSet(HELD, MARKED)) {
                return false;
            }
        }
    }

    private void handOver() {
        token.set(QUEUED);
        connection.worker().execute(continueOnWorker);
    }

    private void drain() {
        do {
            if (token.get() != HELD) {
                token.set(HELD);
            }
            if (closing) {
                connection.worker().execute(onClosing);
                return;
            }
            pass();
            if (hasWork()) {
                handOver();
                return;
            }
        } while (!token.compareAndSet(HELD, FREE));
    }

    private void sendInline(long startNs) {
        pass();
        bursts.wrote(startNs, System.nanoTime());
        if (hasWork()) {
            handOver();
        } else if (!token.compareAndSet(HELD, FREE)) {
            drain();
        }
    }

    /** Takes the token that was handed over; comes back through the worker's queue as long as there is work. */
    private void continueOnWorker() {
        if (!token.compareAndSet(QUEUED, HELD)) {
            // Somebody who could not wait has taken it, and served.
            return;
        }
        if (closing) {
            onClosing.run();
        } else if (pass() || hasWork() || !token.compareAndSet(HELD, FREE)) {
            handOver();
        }
    }

    /** Serves what is ready; true when something was sent. */
    private boolean pass() {
        long before = sentCount;
        guarded(send);
        return sentCount != before;
    }

    /** Whatever fails under the token ends the connection, not the thread, and the token is let go all the same. */
    private void guarded(Runnable action) {
        try {
            if (!broken) {
                action.run();
            }
        } catch (RuntimeException | Error e) {
            broken = true;
            onFailure.accept(e);
        }
    }

    private void send() {
        completePosted();
        if (writable) {
            writable = false;
            // Also when nobody is blocked: the rest of the last write may wait for this, with nothing behind it.
            inFlight.complete(connection.progress());
            blocked = false;
        }
        if (maySend()) {
            serveTurns();
        }
        // What these make ready is sent too.
        if (runAfterTurns() && maySend()) {
            serveTurns();
        }
        connection.push();
        if (finishing && !finished && inFlight.isEmpty() && (truncating || isIdle())) {
            finished = true;
            connection.finish();
            connection.worker().execute(onFinished);
        }
    }

    private void completePosted() {
        if (completions.get() != 0) {
            inFlight.complete(completions.getAndSet(0));
        }
    }

    private boolean maySend() {
        return opened && !blocked && !truncating && !finished;
    }

    private boolean runAfterTurns() {
        Runnable action = afterTurns.poll();
        boolean any = action != null;
        if (any) {
            // Who judges a peer shall see what has completed since the pass began.
            completePosted();
        }
        for (; action != null; action = afterTurns.poll()) {
            action.run();
        }
        return any;
    }

    private boolean isIdle() {
        return ready.first() == null && !blocked && control.isEmpty();
    }

    private boolean hasWork() {
        return ready.first() != null && !blocked && !truncating && !finished && !broken;
    }

    private boolean flushControl() {
        if (control.isEmpty()) {
            return true;
        }
        sentCount++;
        blocked = control.flush(connection) != PostResult.SENT;
        return !blocked;
    }

    private void serveTurns() {
        ready.collect();
        // Control first, each time: what a turn sends may rest on a message queued just before it became ready.
        for (int budget = TURNS_PER_PASS; flushControl() && ready.first() != null && budget > 0; budget--) {
            Turn turn = ready.first();
            moreReady = turn.next != null && budget > 1;
            turn.begin();
            Turn.Outcome outcome = turn.take(this);
            if (outcome == Turn.Outcome.BLOCKED) {
                blocked = true;
                return;
            }
            ready.removeFirst();
            if (outcome == Turn.Outcome.AGAIN) {
                ready.append(turn);
            } else {
                turn.rest(outcome);
                if ((turn.isWoken() || turn.isReady()) && (turn.leaveIdle() || turn.leaveParked())) {
                    ready.append(turn);
                }
            }
            ready.collect();
        }
    }
}
