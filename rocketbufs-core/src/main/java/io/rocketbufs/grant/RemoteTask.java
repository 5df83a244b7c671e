package io.rocketbufs.grant;

import io.rocketbufs.link.Link;
import io.rocketbufs.link.SendTask;
import io.rocketbufs.link.Sender;
import io.rocketbufs.link.WriteOwner;
import io.rocketbufs.memory.Region;
import io.rocketbufs.options.Posted;
import io.rocketbufs.options.RemoteMemoryCallback;
import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.ReadRequest;
import io.rocketbufs.rocketnet.RemoteBuffer;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.WriteRequest;
import io.rocketbufs.text.Reason;
import io.rocketbufs.wire.AtomicLayout;
import io.rocketbufs.wire.ControlLayout;
import io.rocketbufs.wire.ControlMessages;
import io.rocketbufs.wire.ControlType;
import io.rocketbufs.wire.ImmediateLayout;
import io.rocketbufs.wire.RevokeLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Memory of the peer, and the operations on it that this side has posted, in a ring that never grows.
 *
 * <pre>
 *   0 ........ freed ................. sent ................. posted
 *              local memory in use     waits to be sent
 * </pre>
 *
 * <p>One bit of the posted position ends the ring, so that an operation is either refused, or sent before the owner of
 * the memory is told that it is no longer used. Reads and atomic operations leave the ring when they have been sent;
 * {@link OpenRequests} keeps them until they complete.
 *
 * <p><b>Thread-safety:</b> one thread at a time posts; operations are sent under the token; completions of reads and
 * atomic operations, and the events of the memory, are on the worker.
 */
public final class RemoteTask extends SendTask implements WriteOwner {
    /** Maximum number of operations that have been posted and not sent, or not completed if they are writes. */
    private static final int WINDOW = 128;
    /** The bit of the posted position that refuses further operations. */
    private static final long ENDED = 1L << 63;
    /** Request: confirm the revocation when no operation is outstanding. */
    private static final int CONFIRM = FIRST_REQUEST;

    private static final VarHandle POSTED;

    static {
        try {
            POSTED = MethodHandles.lookup().findVarHandle(RemoteTask.class, "posted", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Link link;
    private final Sender sender;
    private final Description memory;
    private final RemoteBuffer remote;
    private final OpenRequests requests;
    private final RemoteMemoryCallback callback;
    private final Consumer<RemoteTask> onUnused;
    private final Runnable onSpace;
    private final boolean receiverPlaces;
    private final PostedOperation[] ring = new PostedOperation[WINDOW];
    private final AtomicInteger requestCount = new AtomicInteger();
    private final ReadRequest readRequest = new ReadRequest();

    /** Number of operations posted, and the bit {@link #ENDED}. */
    private volatile long posted;
    /** Number of operations whose places in the ring are free. Written under the token, as is the next field. */
    private volatile long freed;

    private volatile long completedWrites;
    private volatile boolean isSpaceWanted;
    private volatile boolean isRevoked;

    // Under the token.
    private long sent;
    /** Bytes of the next operation that have been sent. */
    private int sentLength;
    /** Position in the open requests of the part that is being sent; -1 if there is none. */
    private long openRequest = -1;

    private int openLength;
    /** True if the owner's core answers the open requests of this memory; false if the transport carries them out. */
    private boolean openAreEmulated;

    private int writesInFlight;
    /** Number of operations before the last write that has completed. */
    private long writtenEnd;
    /** Where the owner places the next write. */
    private long ownersPosition;

    private boolean isConfirming;

    /**
     * Creates a task that must be started.
     *
     * @param onUnused called under the token before the owner is told that the memory is no longer used, and again if
     *     the transport was full
     */
    RemoteTask(
            Link link,
            Description memory,
            OpenRequests requests,
            RemoteMemoryCallback callback,
            Consumer<RemoteTask> onUnused) {
        this.link = link;
        this.sender = link.sender();
        this.memory = memory;
        this.remote = link.connection().remoteBuffer(memory.access(), memory.length());
        this.requests = requests;
        this.callback = callback;
        this.onUnused = onUnused;
        this.onSpace = this::reportSpace;
        this.receiverPlaces = link.capabilities().receiverPlaces();
        for (int i = 0; i < WINDOW; i++) {
            ring[i] = new PostedOperation();
        }
    }

    // Any thread.

    /** Returns what the peer has said about the memory. */
    public Description memory() {
        return memory;
    }

    /** Returns the number of writes and puts whose local memory is no longer in use. */
    public long completedWrites() {
        return completedWrites;
    }

    /** Returns true if the transport or the peer's core carries out an atomic operation. */
    public boolean canDo(Capabilities.Operation operation) {
        return link.capabilities().offers(operation) || Rights.mayEmulateAtomics(link.capabilities());
    }

    // The posting thread.

    /** Posts a write, of which the owner is notified. */
    public Posted write(Region from, long fromOffset, int length, long offset, int number) {
        PostedOperation operation = claim();
        return operation == null ? refusal() : publish(operation.write(from, fromOffset, length, offset, number));
    }

    /** Posts a write of which the owner is not notified. */
    public Posted put(Region from, long fromOffset, int length, long offset) {
        PostedOperation operation = claim();
        return operation == null ? refusal() : publish(operation.put(from, fromOffset, length, offset));
    }

    /** Posts a read. */
    public Posted read(long offset, int length, Region into, long intoOffset, long context) {
        PostedOperation operation = claim();
        return operation == null ? refusal() : publish(operation.read(offset, length, into, intoOffset, context));
    }

    /** Posts an addition. */
    public Posted fetchAdd(long offset, long addend, long context) {
        PostedOperation operation = claim();
        return operation == null ? refusal() : publish(operation.add(offset, addend, context));
    }

    /** Posts a comparison with a swap. */
    public Posted compareSwap(long offset, long expected, long desired, long context) {
        PostedOperation operation = claim();
        return operation == null ? refusal() : publish(operation.swap(offset, expected, desired, context));
    }

    private PostedOperation at(long position) {
        return ring[(int) (position % WINDOW)];
    }

    /** Returns the operation to fill in; null if there is no room or the memory cannot be used. */
    private PostedOperation claim() {
        long position = posted;
        return position >= 0 && position - freed < WINDOW ? at(position) : null;
    }

    private Posted refusal() {
        if (posted < 0) {
            return Posted.CLOSED;
        }
        isSpaceWanted = true;
        if (posted - freed <= WINDOW / 2) {
            // Room was made before the request, so the callback may have been omitted.
            tellSpace();
        }
        return Posted.NO_WINDOW;
    }

    private Posted publish(PostedOperation operation) {
        operation.retain();
        long position = posted;
        if (position < 0 || !POSTED.compareAndSet(this, position, position + 1)) {
            operation.release();
            return Posted.CLOSED;
        }
        sender.signalFromProducer(this, position + 1);
        return Posted.POSTED;
    }

    private void tellSpace() {
        isSpaceWanted = false;
        link.worker().execute(onSpace);
    }

    // Under the token.

    private long end() {
        return posted & ~ENDED;
    }

    @Override
    protected boolean hasWork() {
        if (sent == end()) {
            return isConfirming && isUnused();
        }
        return next().isWrite() || openRequest >= 0 || mayOpen(isEmulated(next()));
    }

    private PostedOperation next() {
        return at(sent);
    }

    @Override
    protected Outcome take(int bits) {
        isConfirming |= (bits & CONFIRM) != 0;
        if (sent == end()) {
            return isConfirming && isUnused() ? confirm() : Outcome.IDLE;
        }
        PostedOperation next = next();
        return next.isWrite() ? write(next) : request(next);
    }

    private Outcome write(PostedOperation operation) {
        int length =
                Math.min(operation.length() - sentLength, link.capabilities().longestWrite());
        long offset = operation.offset() + sentLength;
        if (!seek(offset, length)) {
            return Outcome.BLOCKED;
        }
        WriteRequest request = sender.request();
        boolean more = sentLength + length < operation.length();
        int immediate = ImmediateLayout.granted(memory.name().id(), operation.number(), more);
        request.set(operation.region(), remote, offset, immediate);
        operation.region().range(operation.regionOffset() + sentLength, length, request.vecs());
        boolean followed = more || sent + 1 != end();
        PostResult result = operation.kind() == PostedOperation.Kind.PUT ? sender.put(followed) : sender.post(followed);
        if (result == PostResult.NO_WINDOW || result == PostResult.CLOSED) {
            return Outcome.BLOCKED;
        }
        ownersPosition += length;
        sentLength += length;
        if (!more) {
            advance();
        }
        sender.posted(this, sent, result);
        return Outcome.AGAIN;
    }

    /** Tells an owner that places the bytes where they go, unless it knows. */
    private boolean seek(long offset, int length) {
        if (!receiverPlaces || length == 0 || offset == ownersPosition) {
            return true;
        }
        if (!sender.send(ControlMessages.seek(sender.scratch(), memory.name().id(), offset))) {
            return false;
        }
        ownersPosition = offset;
        return true;
    }

    private Outcome request(PostedOperation operation) {
        boolean isEmulated = isEmulated(operation);
        if (openRequest < 0 && !open(operation, isEmulated)) {
            return Outcome.PARKED;
        }
        if (!(isEmulated ? ask(operation) : post(operation))) {
            return Outcome.BLOCKED;
        }
        openRequest = -1;
        sentLength += openLength;
        if (sentLength == operation.length()) {
            advance();
            free();
        }
        return Outcome.AGAIN;
    }

    /** Returns true if the owner's core answers an operation, because the transport lacks it. */
    private boolean isEmulated(PostedOperation operation) {
        return !link.capabilities().offers(operation.kind().needed());
    }

    /**
     * Returns true if the next part of an operation can be added to the open requests now. Nothing orders what the
     * transport carries out and what the owner's core answers, so the one waits until the other has completed.
     */
    private boolean mayOpen(boolean isEmulated) {
        return requests.hasRoom() && (isEmulated == openAreEmulated || requestCount.get() == 0);
    }

    /** Adds the next part of an operation to the open requests; returns false if that must wait for others. */
    private boolean open(PostedOperation operation, boolean isEmulated) {
        if (!mayOpen(isEmulated)) {
            requests.await();
            return false;
        }
        openAreEmulated = isEmulated;
        requestCount.incrementAndGet();
        if (operation.kind() == PostedOperation.Kind.READ) {
            int longest = isEmulated ? Integer.MAX_VALUE : link.capabilities().longestRead();
            openLength = Math.min(operation.length() - sentLength, longest);
            openRequest = requests.addRead(this, operation, sentLength, openLength, isEmulated);
        } else {
            openLength = operation.length();
            openRequest = requests.addAtomic(this, operation, isEmulated);
        }
        return true;
    }

    /** Sends a request to the owner's core; returns false when the transport currently accepts nothing. */
    private boolean ask(PostedOperation operation) {
        int id = memory.name().id();
        if (operation.kind() == PostedOperation.Kind.READ) {
            return sender.send(ControlMessages.readRequest(
                    sender.scratch(), id, openLength, operation.offset(), requests.landing(openRequest)));
        }
        ByteBuffer message = ControlMessages.beginAtomic(sender.scratch());
        int code = operation.kind() == PostedOperation.Kind.ADD ? AtomicLayout.ADD : AtomicLayout.SWAP;
        AtomicLayout.putWord(message, id, code, operation.offset());
        AtomicLayout.putOperands(message, operation.operand(), operation.expected());
        return sender.send(ControlLayout.end(message));
    }

    /** Passes a request to the transport; returns false when it currently accepts nothing. */
    private boolean post(PostedOperation operation) {
        PostResult result = switch (operation.kind()) {
            case READ ->
                link.connection()
                        .read(readRequest
                                .set(
                                        operation.region(),
                                        operation.regionOffset() + sentLength,
                                        openLength,
                                        remote,
                                        operation.offset() + sentLength)
                                .context(openRequest));
            case ADD -> link.connection().fetchAdd(remote, operation.offset(), operation.operand(), openRequest);
            default ->
                link.connection()
                        .compareSwap(
                                remote, operation.offset(), operation.expected(), operation.operand(), openRequest);
        };
        return result == PostResult.SENT || result == PostResult.POSTED;
    }

    private void advance() {
        sent++;
        sentLength = 0;
    }

    @Override
    public void writePosted() {
        writesInFlight++;
    }

    @Override
    public void writeCompleted(long end) {
        writesInFlight--;
        writeDone(end);
        if (isConfirming && isUnused()) {
            sender.request(this, CONFIRM);
        }
    }

    @Override
    public void writeDone(long end) {
        writtenEnd = Math.max(writtenEnd, end);
        free();
    }

    /** Frees the places of operations whose local memory is not in use, in order. */
    private void free() {
        long from = freed;
        long to = from;
        int writes = 0;
        while (to < sent) {
            PostedOperation oldest = at(to);
            if (oldest.isWrite()) {
                if (to >= writtenEnd) {
                    break;
                }
                writes++;
            }
            oldest.release();
            to++;
        }
        if (to == from) {
            return;
        }
        completedWrites = completedWrites + writes;
        freed = to;
        if (isSpaceWanted && end() - to <= WINDOW / 2) {
            tellSpace();
        }
    }

    private boolean isUnused() {
        return sent == end() && writesInFlight == 0 && requestCount.get() == 0;
    }

    private Outcome confirm() {
        onUnused.accept(this);
        ByteBuffer message = ControlLayout.begin(sender.scratch(), ControlType.REVOKED, 0);
        RevokeLayout.put(message, memory.name().id(), memory.name().serial());
        if (!sender.send(ControlLayout.end(message))) {
            return Outcome.BLOCKED;
        }
        isConfirming = false;
        return Outcome.IDLE;
    }

    // On the worker.

    /** Called when an open request of this memory, or a part of one, has completed. */
    void requestCompleted(boolean isLast, long context, long value) {
        boolean wasLastRequest = requestCount.decrementAndGet() == 0;
        if (isLast) {
            callback.onCompleted(context, value);
        }
        if (isRevoked && wasLastRequest) {
            sender.request(this, CONFIRM);
        }
    }

    /** Called when the connection has ended before a request completed. */
    void requestFailed(long context, TransportException cause) {
        callback.onFailed(context, cause);
    }

    /** Calls the callback. Like the failure of any callback, its failure closes the connection. */
    private void reportSpace() {
        if (posted < 0) {
            return;
        }
        try {
            callback.onSpace();
        } catch (RuntimeException | Error e) {
            link.fail(new TransportException(
                    TransportException.Code.PROTOCOL,
                    link.peer() + ": the space callback of grant " + memory.name() + " failed: " + Reason.of(e),
                    e));
        }
    }

    /** Called when an open request has completed. */
    void onRoom() {
        sender.unpark(this);
    }

    /** Called when the owner revokes the memory. */
    void onRevoke() {
        POSTED.getAndBitwiseOr(this, ENDED);
        isRevoked = true;
        callback.onRevoked();
        sender.request(this, CONFIRM);
    }

    /**
     * Called when the connection has ended, with the token held permanently.
     *
     * @param guard runs a step whose callbacks may throw
     */
    void onClosed(TransportException cause, Consumer<Runnable> guard) {
        POSTED.getAndBitwiseOr(this, ENDED);
        // The open requests have reported the failure of the last part of an operation that was about to be sent.
        boolean isReported = openRequest >= 0 && sentLength + openLength == next().length();
        for (long i = freed; i < end(); i++) {
            PostedOperation operation = at(i);
            if (i >= sent && !operation.isWrite() && !(i == sent && isReported)) {
                long context = operation.context();
                guard.accept(() -> callback.onFailed(context, cause));
            }
            operation.release();
        }
    }
}
