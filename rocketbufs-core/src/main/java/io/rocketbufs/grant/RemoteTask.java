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
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * Memory of the peer, as used by this side. Sends this side's posted operations on the memory, and confirms the
 * memory's revocation.
 *
 * <p><b>Thread-safety:</b> one thread at a time posts operations; they are sent under the token. Completions of reads
 * and atomic operations, and the memory's events, are reported on the worker.
 */
public final class RemoteTask extends SendTask implements WriteOwner {
    /** Request to confirm the revocation once no operation is outstanding. */
    private static final int CONFIRM = FIRST_REQUEST;
    /** Maximum number of bytes that this side reads directly before other tasks are served. */
    private static final int LONGEST_OWN_READ = 1 << 20;

    private final Link link;
    private final Sender sender;
    private final Description memory;
    private final RemoteBuffer remote;
    private final OpenRequests requests;
    private final RemoteMemoryCallback callback;
    private final Consumer<RemoteTask> onUnused;
    private final boolean receiverPlaces;
    private final PostedOperations operations;
    private final AtomicInteger requestCount = new AtomicInteger();
    private final ReadRequest readRequest = new ReadRequest();
    private final LongConsumer onOwnAtomic;
    private final DirectOperations direct;

    private volatile boolean isRevoked;

    // Under the token.
    /** Number of bytes of the next operation that have been sent. */
    private int sentLength;
    /** Position of the part being sent, in the open requests; -1 if there is none. */
    private long openRequest = -1;

    private int openLength;
    /** True if the owner's core answers the open requests for this memory; false if the transport executes them. */
    private boolean openAreEmulated;

    private int writesInFlight;
    /** Offset at which the owner will place the next write. */
    private long ownersPosition;

    private boolean isConfirming;
    /** True once the revocation has been confirmed, so that a late request does not confirm it a second time. */
    private boolean isConfirmed;

    /**
     * Creates a task that must be started.
     *
     * @param onUnused called under the token before the owner is notified that the memory is no longer in use; called
     *     again if the transport did not accept the notification
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
        this.receiverPlaces = link.capabilities().receiverPlaces();
        Runnable onSpace = this::reportSpace;
        this.operations = new PostedOperations(() -> link.worker().execute(onSpace));
        this.onOwnAtomic = before -> requests.completeAtomic(openRequest, before);
        this.direct = new DirectOperations(remote, operations, requestCount, this::directEnd);
    }

    // Any thread.

    /** Returns the peer's description of the memory. */
    public Description memory() {
        return memory;
    }

    /** Returns the number of writes and puts whose local memory is no longer in use. */
    public long completedWrites() {
        return operations.completedWrites();
    }

    /** Returns true if the transport or the peer's core supports the given operation. */
    public boolean canDo(Capabilities.Operation operation) {
        return link.capabilities().offers(operation) || Rights.mayEmulateAtomics(link.capabilities());
    }

    /** Returns true if this process can currently read the memory directly. */
    public boolean isReadable() {
        return remote.isReadable();
    }

    /** Returns true if this process can currently carry out atomic operations on the memory itself. */
    public boolean hasWords() {
        return remote.hasWords();
    }

    /** Returns the operations that this process carries out immediately, on the calling thread. */
    public DirectOperations direct() {
        return direct;
    }

    private void directEnd() {
        if (isRevoked) {
            sender.request(this, CONFIRM);
        }
    }

    // The posting thread.

    /** Posts a write. The owner is notified of the write. */
    public Posted write(Region from, long fromOffset, int length, long offset, int number) {
        PostedOperation operation = operations.claim();
        return operation == null
                ? operations.refusal()
                : publish(operation.write(from, fromOffset, length, offset, number));
    }

    /** Posts a write without notifying the owner. */
    public Posted put(Region from, long fromOffset, int length, long offset) {
        PostedOperation operation = operations.claim();
        return operation == null ? operations.refusal() : publish(operation.put(from, fromOffset, length, offset));
    }

    /** Posts a read. */
    public Posted read(long offset, int length, Region into, long intoOffset, long context) {
        PostedOperation operation = operations.claim();
        return operation == null
                ? operations.refusal()
                : publish(operation.read(offset, length, into, intoOffset, context));
    }

    /** Posts an atomic addition. */
    public Posted fetchAdd(long offset, long addend, long context) {
        PostedOperation operation = operations.claim();
        return operation == null ? operations.refusal() : publish(operation.add(offset, addend, context));
    }

    /** Posts an atomic compare-and-swap. */
    public Posted compareSwap(long offset, long expected, long desired, long context) {
        PostedOperation operation = operations.claim();
        return operation == null ? operations.refusal() : publish(operation.swap(offset, expected, desired, context));
    }

    private Posted publish(PostedOperation operation) {
        long posted = operations.publish(operation);
        if (posted < 0) {
            return Posted.CLOSED;
        }
        sender.signalFromProducer(this, posted);
        return Posted.POSTED;
    }

    // Under the token.

    @Override
    protected boolean hasWork() {
        if (operations.areAllSent()) {
            return isConfirming && isUnused();
        }
        PostedOperation next = operations.next();
        return next.isWrite() || openRequest >= 0 || mayOpen(isEmulated(next));
    }

    @Override
    protected Outcome take(int bits) {
        isConfirming |= (bits & CONFIRM) != 0 && !isConfirmed;
        if (operations.areAllSent()) {
            return isConfirming && isUnused() ? confirm() : Outcome.IDLE;
        }
        PostedOperation next = operations.next();
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
        boolean followed = more || !operations.isNextLast();
        PostResult result = operation.kind() == PostedOperation.Kind.PUT ? sender.put(followed) : sender.post(followed);
        if (result == PostResult.NO_WINDOW || result == PostResult.CLOSED) {
            return Outcome.BLOCKED;
        }
        ownersPosition += length;
        sentLength += length;
        if (!more) {
            advance();
        }
        sender.posted(this, operations.sent(), result);
        return Outcome.AGAIN;
    }

    /**
     * Sends the offset of the next write to an owner that places the bytes, unless the owner already has this offset.
     */
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
        if (openRequest < 0 && !open(operation, isEmulated(operation))) {
            return Outcome.PARKED;
        }
        if (!(openAreEmulated ? ask(operation) : post(operation))) {
            return Outcome.BLOCKED;
        }
        openRequest = -1;
        sentLength += openLength;
        if (sentLength == operation.length()) {
            advance();
            operations.free();
        }
        return Outcome.AGAIN;
    }

    /**
     * Returns true if the owner's core must answer an operation because neither the transport nor this side can execute
     * it.
     */
    private boolean isEmulated(PostedOperation operation) {
        boolean isOwn = operation.isAtomic() ? remote.hasWords() : remote.isReadable();
        return !isOwn && !link.capabilities().offers(operation.kind().needed());
    }

    /**
     * Returns true if the next part of an operation can be added to the open requests now. The transport executes some
     * operations, and the owner's core answers others; operations of these two kinds are not ordered with each other.
     * An operation of one kind therefore waits until those of the other kind have completed.
     */
    private boolean mayOpen(boolean isEmulated) {
        return requests.hasRoom() && (isEmulated == openAreEmulated || requestCount.get() == 0);
    }

    /** Adds the next part of an operation to the open requests; returns false if it must wait for other requests. */
    private boolean open(PostedOperation operation, boolean isEmulated) {
        if (!mayOpen(isEmulated)) {
            requests.await();
            return false;
        }
        openAreEmulated = isEmulated;
        requestCount.incrementAndGet();
        if (operation.kind() == PostedOperation.Kind.READ) {
            int longest = isEmulated ? Integer.MAX_VALUE : longestRead();
            openLength = Math.min(operation.length() - sentLength, longest);
            openRequest = requests.addRead(this, operation, sentLength, openLength, isEmulated);
        } else {
            openLength = operation.length();
            openRequest = requests.addAtomic(this, operation, isEmulated);
        }
        return true;
    }

    private boolean transportReads() {
        return link.capabilities().offers(Capabilities.Operation.READ);
    }

    private int longestRead() {
        return transportReads() ? link.capabilities().longestRead() : LONGEST_OWN_READ;
    }

    /** Sends a request to the owner's core. Returns false if the transport currently accepts nothing. */
    private boolean ask(PostedOperation operation) {
        int id = memory.name().id();
        if (operation.kind() == PostedOperation.Kind.READ) {
            return sender.send(ControlMessages.readRequest(
                    sender.scratch(), id, openLength, operation.offset() + sentLength, requests.landing(openRequest)));
        }
        ByteBuffer message = ControlMessages.beginAtomic(sender.scratch());
        int code = operation.kind() == PostedOperation.Kind.ADD ? AtomicLayout.ADD : AtomicLayout.SWAP;
        AtomicLayout.putWord(message, id, code, operation.offset());
        AtomicLayout.putOperands(message, operation.operand(), operation.expected());
        return sender.send(ControlLayout.end(message));
    }

    /** Executes a request, or passes it to the transport. Returns false if the transport currently accepts nothing. */
    private boolean post(PostedOperation operation) {
        if (!link.capabilities().offers(operation.kind().needed())) {
            carryOut(operation);
            return true;
        }
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

    /** Carries out the open request in this process. */
    private void carryOut(PostedOperation operation) {
        long offset = operation.offset() + sentLength;
        boolean isDone = switch (operation.kind()) {
            case READ -> remote.read(offset, openLength, operation.region(), operation.regionOffset() + sentLength);
            case ADD -> remote.fetchAdd(offset, operation.operand(), onOwnAtomic);
            default -> remote.compareSwap(offset, operation.expected(), operation.operand(), onOwnAtomic);
        };
        if (!isDone) {
            throw new TransportException(
                    TransportException.Code.PROTOCOL,
                    link.peer() + ": grant " + memory.name()
                            + ": the shared memory cannot be used even though it has not been revoked: operation="
                            + operation.kind() + ", offset=" + offset);
        }
        if (operation.kind() == PostedOperation.Kind.READ) {
            requests.completeRead(openRequest);
        }
    }

    private void advance() {
        operations.advance();
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
        operations.written(end);
    }

    private boolean isUnused() {
        return operations.areAllSent() && writesInFlight == 0 && requestCount.get() == 0;
    }

    private Outcome confirm() {
        onUnused.accept(this);
        ByteBuffer message = ControlLayout.begin(sender.scratch(), ControlType.REVOKED, 0);
        RevokeLayout.put(message, memory.name().id(), memory.name().serial());
        if (!sender.send(ControlLayout.end(message))) {
            return Outcome.BLOCKED;
        }
        isConfirming = false;
        isConfirmed = true;
        return Outcome.IDLE;
    }

    // On the worker.

    /** Called when an open request on this memory, or a part of one, has completed. */
    void requestCompleted(boolean isLast, long context, long value) {
        boolean wasLastRequest = requestCount.decrementAndGet() == 0;
        if (isLast) {
            callback.onCompleted(context, value);
        }
        if (isRevoked && wasLastRequest) {
            sender.request(this, CONFIRM);
        } else if (wasLastRequest) {
            // An operation of the other kind may be waiting for this completion, and an earlier completion may already
            // have used up its await.
            sender.unpark(this);
            sender.sendReady();
        }
    }

    /** Called when the connection has ended before a request has completed. */
    void requestFailed(long context, TransportException cause) {
        callback.onFailed(context, cause);
    }

    /**
     * Calls the space callback. If the callback throws an exception, the connection is closed, as with any callback.
     */
    private void reportSpace() {
        if (operations.isEnded()) {
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

    /** Called when an open request has completed, in case this task is waiting for a completion. */
    void onRoom() {
        sender.unpark(this);
    }

    /** Called when the owner revokes the memory. */
    void onRevoke() {
        operations.end();
        isRevoked = true;
        callback.onRevoked();
        sender.request(this, CONFIRM);
    }

    /**
     * Called when the connection has ended, with the token held permanently.
     *
     * @param guard runs a step whose callbacks may throw an exception
     */
    void onClosed(TransportException cause, Consumer<Runnable> guard) {
        operations.end();
        // The open requests have already reported the failure of an operation whose last part was about to be sent.
        boolean isReported =
                openRequest >= 0 && sentLength + openLength == operations.next().length();
        PostedOperation reported = isReported ? operations.next() : null;
        operations.releaseAll(operation -> {
            if (!operation.isWrite() && operation != reported) {
                long context = operation.context();
                guard.accept(() -> callback.onFailed(context, cause));
            }
        });
    }
}
