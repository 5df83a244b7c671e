package io.rocketbufs.rocketnet.loopback;

import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.TransportHandler;
import io.rocketbufs.rocketnet.WriteRequest;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * A direction whose sender addresses remote memory. The network's NIC copies bytes from memory to memory, independently
 * of both workers, and notifies the workers later.
 */
final class LoopbackOneSidedPipe extends LoopbackPipe {
    /** The kinds of frames of which the receiver is not notified. */
    private static final Set<LoopbackFrame.Kind> SILENT =
            EnumSet.of(LoopbackFrame.Kind.WORD, LoopbackFrame.Kind.PUT, LoopbackFrame.Kind.FETCH);

    private final LoopbackOptions options;
    /** Number of posted operations whose completion has not been reported to the sender. */
    private int outstanding;
    /** Number of outstanding operations that are reads or atomic operations. */
    private int outstandingFetches;

    private List<LoopbackFetch> fetched = new ArrayList<>();
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

    /** Accepts a read or an atomic operation. */
    synchronized PostResult fetch(LoopbackFetch fetch) {
        if (outstanding == options.window() || outstandingFetches == options.readWindow()) {
            return waitForRoom(PostResult.NO_WINDOW);
        }
        outstanding++;
        outstandingFetches++;
        add(LoopbackFrame.fetch(fetch, faults.dueNs()));
        return PostResult.POSTED;
    }

    /** Adds a put or a word at a random place among the puts waiting directly in front of it. */
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
        // The memory into which these operations read belongs to the sender again.
        frames.removeIf(frame -> frame.kind() == LoopbackFrame.Kind.FETCH);
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
            // A number is stored as a whole when its last byte arrives.
            boolean whole = frame.landed() + count == frame.length();
            return whole ? to.words().land(frame.word(), frame.value()) : null;
        }
        if (frame.kind() == LoopbackFrame.Kind.FETCH) {
            return to.grants().fetch(frame, count);
        }
        boolean writes = frame.kind() == LoopbackFrame.Kind.WRITE || frame.kind() == LoopbackFrame.Kind.PUT;
        boolean stores = writes && frame.length() > 0;
        return stores ? to.grants().land(frame, count) : null;
    }

    @Override
    protected void completed(LoopbackFrame frame) {
        if (frame.kind() != LoopbackFrame.Kind.FETCH) {
            link().network().checkUnchanged(frame);
        }
    }

    @Override
    protected synchronized void arrive(LoopbackFrame frame) {
        if (!SILENT.contains(frame.kind())) {
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
            if (frame.kind() == LoopbackFrame.Kind.FETCH) {
                fetched.add(link.network().random(fetched.size() + 1), frame.fetch());
            }
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
        List<LoopbackFetch> fetches;
        synchronized (this) {
            count = completed;
            fetches = fetched;
            fetched = new ArrayList<>();
            outstanding -= sentBack;
            outstandingFetches -= fetches.size();
            completed = 0;
            sentBack = 0;
        }
        // Writes are not ordered with reads and atomic operations.
        boolean fetchesFirst = !fetches.isEmpty() && link.network().random(2) == 0;
        if (fetchesFirst) {
            fetches.forEach(fetch -> from.tell(fetch::report));
        }
        if (count > 0) {
            from.tell(handler -> handler.completed(count));
        }
        if (!fetchesFirst && !fetches.isEmpty()) {
            fetches.forEach(fetch -> from.tell(fetch::report));
            from.tell(TransportHandler::writable);
        }
        roomMade();
    }

    @Override
    protected void turnEnded() {
        // The receiver's worker collects and reports the arrivals.
    }
}
