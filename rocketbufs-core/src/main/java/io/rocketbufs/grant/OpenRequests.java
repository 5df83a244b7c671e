package io.rocketbufs.grant;

import io.rocketbufs.link.Link;
import io.rocketbufs.memory.Region;
import io.rocketbufs.memory.Vecs;
import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.text.Reason;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * The reads and atomic operations of one connection that have been sent but have not completed, oldest first.
 *
 * <p>The transport may complete native operations in any order, whereas the peer answers emulated operations in posting
 * order. This class reports all completions in posting order.
 *
 * <p><b>Thread-safety:</b> requests are added under the token and completed on the worker.
 */
final class OpenRequests {
    /** Maximum number of requests of a connection. */
    static final int MAX_COUNT = 64;

    private final Link link;
    private final int window;
    private final OpenRequest[] requests = new OpenRequest[MAX_COUNT];
    private final Runnable onRoom;
    private final Runnable onOwn = this::reportOwn;
    private final AtomicBoolean isReportScheduled = new AtomicBoolean();
    /** Number of requests added. */
    private volatile long added;
    /** Number of requests whose completion has been reported. */
    private volatile long reported;
    /** Number of requests that precede the oldest request that the peer must answer. Worker only. */
    private long answered;

    private volatile boolean isAwaited;

    /** A request that has not completed; the object is reused. */
    private static final class OpenRequest {
        private RemoteTask task;
        /** The region that receives the bytes of a read; null for an atomic operation. */
        private Region region;

        private long offset;
        private int length;
        private long context;
        private RemoteAccess landing = RemoteAccess.NONE;
        /** True if the peer's core answers this request. */
        private boolean isEmulated;
        /** True if this is the last part of a read. */
        private boolean isLast;

        private int arrivedLength;
        /** Written under the token if this side has carried out the request itself; otherwise written by the worker. */
        private volatile boolean isComplete;

        private long value;
    }

    /**
     * Creates an empty set of requests.
     *
     * @param onRoom runs on the worker when a request has completed after a call to {@link #await}
     */
    OpenRequests(Link link, Runnable onRoom) {
        this.link = link;
        this.onRoom = onRoom;
        Capabilities capabilities = link.capabilities();
        window = capabilities.readWindow() > 0 ? Math.min(MAX_COUNT, capabilities.readWindow()) : MAX_COUNT;
        for (int i = 0; i < MAX_COUNT; i++) {
            requests[i] = new OpenRequest();
        }
    }

    // Under the token.

    boolean hasRoom() {
        return added - reported < window;
    }

    /**
     * Requests a callback for when a request completes. The caller must then check whether a request has completed in
     * the meantime.
     */
    void await() {
        isAwaited = true;
    }

    /** Adds a read, or a part of one. Returns the position that identifies it. */
    long addRead(RemoteTask task, PostedOperation operation, int done, int length, boolean isEmulated) {
        boolean isAddressed = isEmulated && !link.capabilities().receiverPlaces();
        long offset = operation.regionOffset() + done;
        RemoteAccess landing =
                isAddressed ? link.connection().grant(operation.region(), offset, length) : RemoteAccess.NONE;
        OpenRequest request = next(task, operation, isEmulated);
        request.region = operation.region();
        request.region.retain();
        request.offset = offset;
        request.length = length;
        request.landing = landing;
        request.isLast = done + length == operation.length();
        request.value = operation.length();
        return publish();
    }

    /** Adds an atomic operation. Returns the position that identifies it. */
    long addAtomic(RemoteTask task, PostedOperation operation, boolean isEmulated) {
        next(task, operation, isEmulated);
        return publish();
    }

    private OpenRequest next(RemoteTask task, PostedOperation operation, boolean isEmulated) {
        OpenRequest request = requests[(int) (added % MAX_COUNT)];
        request.task = task;
        request.context = operation.context();
        request.isEmulated = isEmulated;
        request.isLast = true;
        request.arrivedLength = 0;
        request.isComplete = false;
        return request;
    }

    /**
     * Publishes the next request before it is sent. The request stays published even if the transport accepts nothing.
     * Otherwise, an unsolicited answer from a hostile peer could complete the request while it was being withdrawn.
     */
    @SuppressWarnings("NonAtomicOperationOnVolatileField") // written under the token
    private long publish() {
        return added++;
    }

    /** Returns the access that the peer needs to write the answer to a read. */
    RemoteAccess landing(long position) {
        return at(position).landing;
    }

    /** Completes a read that this side has carried out itself. The worker reports the completion. */
    void completeRead(long position) {
        at(position).isComplete = true;
        if (isReportScheduled.compareAndSet(false, true)) {
            link.worker().execute(onOwn);
        }
    }

    /** Completes an atomic operation that this side has carried out itself. The worker reports the completion. */
    void completeAtomic(long position, long before) {
        at(position).value = before;
        completeRead(position);
    }

    private OpenRequest at(long position) {
        return requests[(int) (position % MAX_COUNT)];
    }

    // On the worker.

    /** Called when the transport has completed a read. */
    void readCompleted(long position) {
        complete(at(checked(position)));
    }

    /** Called when the transport has completed an atomic operation. */
    void atomicCompleted(long position, long before) {
        OpenRequest request = at(checked(position));
        request.value = before;
        complete(request);
    }

    private long checked(long position) {
        if (position < reported || position >= added) {
            throw new IllegalStateException("no request is open at position=" + position);
        }
        return position;
    }

    /** Places the next bytes of the answer to the oldest read that the peer has not completely answered. */
    void place(int count, Vecs into) {
        OpenRequest request = awaiting(true, count);
        request.region.range(request.offset + request.arrivedLength, count, into);
    }

    /** Called when bytes of an answer have arrived. */
    void arrived(int count) {
        OpenRequest request = awaiting(true, count);
        request.arrivedLength += count;
        if (request.arrivedLength == request.length) {
            complete(request);
        }
    }

    /** Called when the peer has answered an atomic operation. */
    void onAtomicAnswer(long before) {
        OpenRequest request = awaiting(false, 1);
        request.value = before;
        complete(request);
    }

    /** Returns the oldest request that the peer must answer. */
    private OpenRequest awaiting(boolean isRead, int count) {
        answered = Math.max(answered, reported);
        while (answered < added && (!at(answered).isEmulated || at(answered).isComplete)) {
            answered++;
        }
        OpenRequest request = answered < added ? at(answered) : null;
        if (request == null || isRead != (request.region != null)) {
            throw violation("answered a request that was never sent");
        }
        if (isRead && (count < 1 || count > request.length - request.arrivedLength)) {
            throw violation("answered a read of length=" + request.length + " with " + count + " bytes after "
                    + request.arrivedLength);
        }
        return request;
    }

    private TransportException violation(String what) {
        return new TransportException(TransportException.Code.PROTOCOL, link.peer() + " " + what);
    }

    /**
     * Reports the requests that this side has carried out itself. This method closes the connection if a callback
     * throws an exception, because it is not called by a transport, which would do so.
     */
    private void reportOwn() {
        isReportScheduled.set(false);
        try {
            report();
        } catch (RuntimeException | Error e) {
            link.fail(new TransportException(
                    TransportException.Code.PROTOCOL,
                    link.peer() + ": the completion callback of a grant failed: " + Reason.of(e),
                    e));
        }
    }

    private void complete(OpenRequest request) {
        request.isComplete = true;
        report();
    }

    private void report() {
        long before = reported;
        while (reported < added && at(reported).isComplete) {
            reportOldest();
        }
        if (isAwaited && reported != before) {
            isAwaited = false;
            onRoom.run();
        }
    }

    private void reportOldest() {
        OpenRequest oldest = at(reported);
        RemoteTask task = oldest.task;
        boolean isLast = oldest.isLast;
        long context = oldest.context;
        long value = oldest.value;
        take(oldest);
        task.requestCompleted(isLast, context, value);
    }

    /** Removes the oldest request and releases its memory. */
    @SuppressWarnings("NonAtomicOperationOnVolatileField") // written by the worker
    private void take(OpenRequest oldest) {
        Region region = oldest.region;
        oldest.task = null;
        oldest.region = null;
        if (!oldest.landing.equals(RemoteAccess.NONE)) {
            link.connection().revoke(oldest.landing);
            oldest.landing = RemoteAccess.NONE;
        }
        reported++;
        if (region != null) {
            region.release();
        }
    }

    /**
     * Called when the connection has ended and the transport no longer accesses memory.
     *
     * @param guard runs a step whose callbacks may throw an exception
     */
    void onClosed(TransportException cause, Consumer<Runnable> guard) {
        while (reported < added) {
            OpenRequest oldest = at(reported);
            RemoteTask task = oldest.task;
            boolean isLast = oldest.isLast;
            long context = oldest.context;
            take(oldest);
            if (isLast) {
                guard.accept(() -> task.requestFailed(context, cause));
            }
        }
    }
}
