package io.rocketbufs.rocketnet.loopback;

import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.WriteRequest;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * A direction whose sender addresses remote memory: the network's NIC copies from memory to memory, independently of
 * both workers, and notifies them later.
 */
final class LoopbackOneSidedPipe extends LoopbackPipe {
    private final LoopbackOptions options;
    /** Number of posted operations whose completion has not been reported to the sender. */
    private int outstanding;

    private List<LoopbackFrame> arrived = new ArrayList<>();
    private int sentBack;
    private int completed;

    LoopbackOneSidedPipe(LoopbackLink link, LoopbackConnection from, LoopbackConnection to) {
        super(link, from, to, link.network().nic());
        options = link.network().options();
    }

    @Override
    protected synchronized PostResult write(WriteRequest request) {
        if (outstanding == options.window()) {
            return waitForRoom(PostResult.NO_WINDOW);
        }
        outstanding++;
        LoopbackFrame frame = LoopbackFrame.write(request, faults.dueNs());
        if (injected(frame)) {
            frame.copy(frame.length());
        }
        add(frame);
        return injected(frame) ? PostResult.SENT : PostResult.POSTED;
    }

    /** Accepts a put. */
    synchronized PostResult put(WriteRequest request) {
        if (outstanding == options.window()) {
            return waitForRoom(PostResult.NO_WINDOW);
        }
        outstanding++;
        LoopbackFrame frame = LoopbackFrame.put(request, faults.dueNs());
        addInAnyPlaceAmongPuts(frame);
        return injected(frame) ? PostResult.SENT : PostResult.POSTED;
    }

    /** Adds a put or a word, which lands before or after the puts that wait directly in front of it. */
    private void addInAnyPlaceAmongPuts(LoopbackFrame frame) {
        Deque<LoopbackFrame> behind = new ArrayDeque<>();
        while (frames.size() > 1
                && frames.peekLast().kind() == LoopbackFrame.Kind.PUT
                && link.network().random(2) == 0) {
            behind.push(frames.pollLast());
        }
        add(frame);
        frames.addAll(behind);
    }

    private boolean injected(LoopbackFrame frame) {
        return options.injectLength() > 0 && frame.length() <= options.injectLength();
    }

    @Override
    protected synchronized PostResult send(ByteBuffer message) {
        if (outstanding == options.window()) {
            return waitForRoom(PostResult.NO_WINDOW);
        }
        outstanding++;
        add(LoopbackFrame.control(message, faults.dueNs()));
        return PostResult.SENT;
    }

    /** Accepts a number to be written into a lent word. */
    synchronized PostResult writeWord(RemoteAccess word, long value) {
        if (outstanding == options.window()) {
            return waitForRoom(PostResult.NO_WINDOW);
        }
        outstanding++;
        addInAnyPlaceAmongPuts(LoopbackFrame.word(word, value, faults.dueNs()));
        return PostResult.SENT;
    }

    @Override
    int progress() {
        return 0;
    }

    @Override
    int withdraw() {
        return -1;
    }

    @Override
    void finish() {
        addFinish();
    }

    @Override
    protected synchronized boolean release() {
        boolean writing = frames.stream().anyMatch(frame -> frame.copied() < frame.length());
        return finished() && !writing;
    }

    @Override
    protected int available(LoopbackFrame frame) {
        return frame.length() - frame.landed();
    }

    @Override
    protected void land(LoopbackFrame frame, int count) {
        String refusal;
        synchronized (this) {
            if (!isFirst(frame)) {
                return;
            }
            refusal = store(frame, count);
            frame.landed(refusal == null ? count : 0);
        }
        if (refusal != null) {
            link.refuse(refusal);
        }
    }

    private String store(LoopbackFrame frame, int count) {
        if (frame.kind() == LoopbackFrame.Kind.WORD) {
            // Stored as a whole when the last byte arrives.
            boolean whole = frame.landed() + count == frame.length();
            return whole ? to.words().land(frame.word(), frame.value()) : null;
        }
        boolean writes = frame.kind() == LoopbackFrame.Kind.WRITE || frame.kind() == LoopbackFrame.Kind.PUT;
        boolean stores = writes && frame.length() > 0;
        return stores ? to.grants().land(frame, count) : null;
    }

    @Override
    protected void completed(LoopbackFrame frame) {
        link().network().checkUnchanged(frame);
    }

    @Override
    protected synchronized void arrive(LoopbackFrame frame) {
        boolean isSilent = frame.kind() == LoopbackFrame.Kind.WORD || frame.kind() == LoopbackFrame.Kind.PUT;
        if (!isSilent) {
            if (arrived.isEmpty()) {
                to.worker().execute(this::tellArrivals);
            }
            arrived.add(frame);
        }
        if (frame.kind() != LoopbackFrame.Kind.FINISH) {
            if (sentBack == 0) {
                from.worker().execute(this::tellCompletions);
            }
            sentBack++;
            boolean isPosted = frame.kind() == LoopbackFrame.Kind.WRITE || frame.kind() == LoopbackFrame.Kind.PUT;
            completed += isPosted && !injected(frame) ? 1 : 0;
        }
    }

    private void tellArrivals() {
        List<LoopbackFrame> batch;
        synchronized (this) {
            batch = arrived;
            arrived = new ArrayList<>();
        }
        batch.forEach(to::arrive);
        to.arrivalsEnd();
    }

    private void tellCompletions() {
        int count;
        synchronized (this) {
            count = completed;
            outstanding -= sentBack;
            completed = 0;
            sentBack = 0;
        }
        if (count > 0) {
            from.tell(handler -> handler.completed(count));
        }
        roomMade();
    }

    @Override
    protected void turnEnded() {
        // The receiver's worker collects and reports the arrivals itself.
    }
}
