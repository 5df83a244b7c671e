package io.rocketbufs.rocketnet.loopback;

import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.TransportHandler;
import io.rocketbufs.rocketnet.WriteRequest;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Supplier;

/**
 * One direction of a link: what is committed, in order, and the engine that makes it arrive piece by piece.
 *
 * <p>The engine is a task on one worker, so that one piece arrives at a time. It sleeps when nothing may arrive, and
 * {@link #kick()} wakes it.
 *
 * <p><b>Thread-safety:</b> state is guarded by this object, which is never held during a call of a handler.
 */
abstract class LoopbackPipe {
    /** Pieces of one turn. */
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

    /** Takes a write that keeps the rules. */
    protected abstract PostResult write(WriteRequest request);

    /** Takes a control message that keeps the rules. */
    protected abstract PostResult send(ByteBuffer message);

    /** As {@link io.rocketbufs.rocketnet.TransportConnection#progress()}. */
    abstract int progress();

    /** As {@link io.rocketbufs.rocketnet.TransportConnection#withdraw()}. */
    abstract int withdraw();

    /** Ends this direction after what is committed. */
    abstract void finish();

    /** Lets go of the sender's memory; false when something that is committed is lost by that. */
    protected abstract boolean release();

    /** Bytes of the first frame that could land now. */
    protected abstract int available(LoopbackFrame frame);

    /** Brings the next bytes of the first frame into the receiver's memory, unless the pipe is stopped meanwhile. */
    protected abstract void land(LoopbackFrame frame, int count);

    /** The frame has landed; the sender cannot close before this returns. */
    protected void completed(LoopbackFrame frame) {}

    /** The frame has landed and is off the queue. */
    protected abstract void arrive(LoopbackFrame frame);

    /** The engine pauses or lets others run. */
    protected abstract void turnEnded();

    final LoopbackLink link() {
        return link;
    }

    final LoopbackFaults faults() {
        return faults;
    }

    /** Nothing lands from now on, and the sender's memory is not read any more; false when frames are left. */
    final synchronized boolean stop() {
        stopped = true;
        return frames.stream().allMatch(frame -> frame.kind() == LoopbackFrame.Kind.FINISH);
    }

    /** The sender has closed; false when something that is committed is lost by that. */
    final synchronized boolean senderClosed() {
        senderGone = true;
        return release();
    }

    /** Posts something, unless the sender is gone. */
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

    /** True while a frame may land. Holds as long as this object is locked. */
    protected final synchronized boolean isFirst(LoopbackFrame frame) {
        return !stopped && frames.peek() == frame;
    }

    /** Has {@code writable} called when {@link #roomMade()}. */
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

    /** Wakes the engine if there may be something to do. */
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

    /** The frame whose next piece may land now; null when the engine sleeps, or has been told to come back. */
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
