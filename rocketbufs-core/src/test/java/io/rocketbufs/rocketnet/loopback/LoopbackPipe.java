package io.rocketbufs.rocketnet.loopback;

import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.TransportHandler;
import io.rocketbufs.rocketnet.WriteRequest;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Supplier;

/**
 * One direction of a link: the committed frames in order, and the engine that delivers them piece by piece.
 *
 * <p>The engine is a task on one worker, so pieces arrive one at a time. The engine sleeps while no data may arrive;
 * {@link #kick()} wakes it.
 *
 * <p><b>Thread-safety:</b> the state is guarded by this object's lock, which is never held during a call of a handler.
 */
abstract class LoopbackPipe {
    /** Maximum number of pieces delivered before the engine yields to other tasks. */
    private static final int BATCH = 64;

    protected final LoopbackLink link;
    protected final LoopbackConnection from;
    protected final LoopbackConnection to;
    protected final LoopbackFaults faults;
    protected final Deque<LoopbackFrame> frames = new ArrayDeque<>();
    private final LoopbackWorker engine;
    private boolean running;
    private boolean wantsWritable;
    private boolean stopped;
    private boolean finished;
    private boolean senderGone;

    LoopbackPipe(LoopbackLink link, LoopbackConnection from, LoopbackConnection to, LoopbackWorker engine) {
        this.link = link;
        this.from = from;
        this.to = to;
        this.engine = engine;
        faults = new LoopbackFaults(this, link.network());
    }

    /** Accepts a write that follows the rules. */
    protected abstract PostResult write(WriteRequest request);

    /** Accepts a control message that follows the rules. */
    protected abstract PostResult send(ByteBuffer message);

    /** Implements {@link io.rocketbufs.rocketnet.TransportConnection#progress()}. */
    abstract int progress();

    /** Implements {@link io.rocketbufs.rocketnet.TransportConnection#withdraw()}. */
    abstract int withdraw();

    /** Ends this direction after all committed data. */
    abstract void finish();

    /** Releases the sender's memory; returns false if committed data is lost as a result. */
    protected abstract boolean release();

    /** Returns the number of the first frame's bytes that could arrive now. */
    protected abstract int available(LoopbackFrame frame);

    /** Stores the next bytes of the first frame in the receiver's memory, unless the pipe has been stopped. */
    protected abstract void land(LoopbackFrame frame, int count);

    /** Called when the frame has arrived. The sender cannot close before this method returns. */
    protected void completed(LoopbackFrame frame) {}

    /** Called when the frame has arrived and has left the queue. */
    protected abstract void arrive(LoopbackFrame frame);

    /** Called when the engine pauses or yields to other tasks. */
    protected abstract void turnEnded();

    final LoopbackLink link() {
        return link;
    }

    final LoopbackFaults faults() {
        return faults;
    }

    /** Stops arrivals and reads of the sender's memory. Returns false if frames other than the end are left. */
    final synchronized boolean stop() {
        stopped = true;
        return frames.stream().allMatch(frame -> frame.kind() == LoopbackFrame.Kind.FINISH);
    }

    /** Called when the sender has closed. Returns false if committed data is lost as a result. */
    final synchronized boolean senderClosed() {
        senderGone = true;
        return release();
    }

    /** Posts an operation, unless the sender has closed. */
    final synchronized PostResult post(Supplier<PostResult> operation) {
        return senderGone ? PostResult.CLOSED : operation.get();
    }

    protected final synchronized void add(LoopbackFrame frame) {
        frames.add(frame);
        kick();
    }

    protected final synchronized void addFinish() {
        if (!finished) {
            finished = true;
            add(LoopbackFrame.finish(faults.dueNs()));
        }
    }

    protected final synchronized boolean finished() {
        return finished;
    }

    /** Returns true if the given frame is the first and may arrive. Valid while the caller holds this object's lock. */
    protected final synchronized boolean isFirst(LoopbackFrame frame) {
        return !stopped && frames.peek() == frame;
    }

    /** Requests a call of {@code writable} by the next {@link #roomMade()}. Returns the given result. */
    protected final synchronized PostResult waitForRoom(PostResult result) {
        wantsWritable = true;
        return result;
    }

    protected final synchronized void roomMade() {
        if (wantsWritable) {
            wantsWritable = false;
            tellWritable();
        }
    }

    final void tellWritable() {
        from.worker().execute(() -> from.tell(TransportHandler::writable));
    }

    /** Wakes the engine if there may be work. */
    final synchronized void kick() {
        if (!running && !stopped && !frames.isEmpty()) {
            running = true;
            engine.execute(this::turn);
        }
    }

    private void turn() {
        if (link.network().deferred()) {
            engine.execute(this::turn);
            return;
        }
        for (int i = 0; i < BATCH; i++) {
            LoopbackFrame frame = next();
            if (frame == null) {
                turnEnded();
                return;
            }
            move(frame);
            if (faults.inPieces()) {
                break;
            }
        }
        turnEnded();
        engine.execute(this::turn);
    }

    /** Returns the frame whose next piece may arrive now, or null if the engine sleeps or has been rescheduled. */
    private synchronized LoopbackFrame next() {
        LoopbackFrame frame = frames.peek();
        boolean ready = frame != null
                && !stopped
                && !faults.stopped()
                && to.established()
                && (available(frame) > 0 || frame.complete());
        if (!ready) {
            running = false;
            return null;
        }
        long waitNs = frame.dueNs() - System.nanoTime();
        if (waitNs > 0) {
            engine.executeIn(this::turn, waitNs);
            return null;
        }
        return frame;
    }

    private void move(LoopbackFrame frame) {
        int count = faults.next(available(frame));
        land(frame, count);
        boolean complete;
        synchronized (this) {
            if (!isFirst(frame)) {
                return;
            }
            complete = frame.complete();
            if (complete) {
                completed(frame);
                frames.remove();
            }
        }
        boolean cut = faults.passed(count);
        if (complete) {
            arrive(frame);
            if (frame.kind() == LoopbackFrame.Kind.FINISH) {
                stop();
            }
        }
        if (cut) {
            link.cut();
        }
    }
}
