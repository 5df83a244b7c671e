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
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * A direction whose sender addresses remote memory. The network's NIC copies bytes from memory to memory, independently
 * of both workers, and notifies the workers later.
 */
final class LoopbackOneSidedPipe extends LoopbackPipe {
    /** The kinds of frames of which the receiver is not notified. */
    private static final Set<LoopbackFrame.Kind> SILENT =
            EnumSet.of(LoopbackFrame.Kind.WORD, LoopbackFrame.Kind.PUT, LoopbackFrame.Kind.FETCH);

    private static final int MAX_PIECES = 4;
    private static final int PIECES_PER_PAUSE = 4;
    private static final int LONGEST_PAUSE_NS = 300_000;

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
        if (isInjected(frame.length())) {
            frame.copy(frame.length());
        }
        add(frame);
        return isInjected(frame.length()) ? PostResult.SENT : PostResult.POSTED;
    }

    /** Accepts a put. */
    synchronized PostResult put(WriteRequest request) {
        if (outstanding == options.window()) {
            return waitForRoom(PostResult.NO_WINDOW);
        }
        outstanding++;
        int length = (int) request.vecs().totalLength();
        LoopbackFrame.put(request, cuts(length), this::pieceDueNs).forEach(this::addInAnyPlaceAmongPuts);
        return isInjected(length) ? PostResult.SENT : PostResult.POSTED;
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

    /** Returns random offsets at which a put is cut into pieces. No piece is empty, unless the put is. */
    private int[] cuts(int length) {
        int count = length == 0 ? 0 : link.network().random(MAX_PIECES);
        return IntStream.range(0, count)
                .map(i -> link.network().random(length))
                .filter(cut -> cut > 0)
                .sorted()
                .distinct()
                .toArray();
    }

    /** Returns when a piece of a put may arrive. Some are late, so that the peer can see the memory without them. */
    private long pieceDueNs() {
        boolean isLate = link.network().random(PIECES_PER_PAUSE) == 0;
        return faults.dueNs() + (isLate ? link.network().random(LONGEST_PAUSE_NS) : 0);
    }

    /** Adds a piece of a put, or a word, at a random place among the waiting pieces that it may overtake. */
    private void addInAnyPlaceAmongPuts(LoopbackFrame frame) {
        int overtaken = link.network().random(1 + overtakable(frame));
        Deque<LoopbackFrame> behind = new ArrayDeque<>();
        for (int i = 0; i < overtaken; i++) {
            behind.push(frames.pollLast());
        }
        add(frame);
        frames.addAll(behind);
    }

    /** Returns the number of last frames that a later frame may overtake. */
    private int overtakable(LoopbackFrame later) {
        Iterator<LoopbackFrame> fromLast = frames.descendingIterator();
        int count = 0;
        while (fromLast.hasNext() && mayOvertake(later, fromLast.next())) {
            count++;
        }
        return count;
    }

    private boolean mayOvertake(LoopbackFrame later, LoopbackFrame earlier) {
        return earlier.kind() == LoopbackFrame.Kind.PUT
                && (earlier.put() == later.put() || earlier.put().length() > options.orderedPut());
    }

    private boolean isInjected(int length) {
        return options.injectLength() > 0 && length <= options.injectLength();
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
            boolean isComplete =
                    frame.kind() != LoopbackFrame.Kind.PUT || frame.put().pieceArrived();
            if (isComplete) {
                complete(frame);
            }
        }
    }

    /** Reports later to the sender that an operation, of which this is the last frame, has completed. */
    private void complete(LoopbackFrame frame) {
        if (sentBack == 0) {
            from.worker().execute(this::tellCompletions);
        }
        sentBack++;
        switch (frame.kind()) {
            case WRITE -> completed += isInjected(frame.length()) ? 0 : 1;
            case PUT -> completed += isInjected(frame.put().length()) ? 0 : 1;
            case FETCH -> fetched.add(link.network().random(fetched.size() + 1), frame.fetch());
            default -> {
                // No completion of words and control messages is reported.
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
