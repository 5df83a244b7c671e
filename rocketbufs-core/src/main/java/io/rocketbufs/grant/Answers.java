package io.rocketbufs.grant;

import io.rocketbufs.link.Link;
import io.rocketbufs.link.SendTask;
import io.rocketbufs.link.Sender;
import io.rocketbufs.memory.Region;
import io.rocketbufs.memory.Vecs;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.RemoteBuffer;
import io.rocketbufs.rocketnet.Right;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.WriteRequest;
import io.rocketbufs.wire.AtomicLayout;
import io.rocketbufs.wire.ControlMessages;
import io.rocketbufs.wire.ImmediateLayout;
import io.rocketbufs.wire.ReadLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The responses to the peer's reads of, and atomic operations on, this side's memory, for transports that lack these
 * operations.
 *
 * <p>This class answers requests in order, one write at a time, so the connection's other tasks can send between two
 * writes. An answer is written directly from the granted memory, so only the requests are queued. The application is
 * not involved, and a request allocates nothing if the receiver places arriving bytes.
 *
 * <p>Reads of one grant take place in the order of the requests: the bytes of a later answer are never older than those
 * of an earlier answer. On transports where the sender addresses the peer's memory, a device reads the bytes of an
 * answer from memory after the answer has been posted, but may copy the bytes of a short answer immediately. On these
 * transports, an answer therefore waits until earlier answers have been sent.
 *
 * <p><b>Thread-safety:</b> the worker adds requests; the holder of the token answers them.
 */
final class Answers extends SendTask {
    /**
     * Maximum number of unanswered requests from a peer. This is twice the number of open requests that
     * {@link OpenRequests} allows, because a request may arrive before this side has detected that an earlier answer
     * was sent.
     */
    private static final int MAX_COUNT = 2 * OpenRequests.MAX_COUNT;

    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final Link link;
    private final Sender sender;
    private final Grants grants;
    private final Request[] requests = new Request[MAX_COUNT];
    /** The remote buffer of every answer if the receiver places the bytes; otherwise null. */
    private final RemoteBuffer placed;

    private final Vecs word = new Vecs(1);
    private final Runnable onAnswersSent = this::answersSent;

    /** Number of requests received; written by the worker. */
    private volatile long received;
    /** Number of requests answered; written under the token, like the fields below. */
    private volatile long answered;

    /** Number of bytes of the oldest unanswered read that have been sent. */
    private int sentLength;
    /** True if the oldest unanswered atomic operation has been carried out. */
    private boolean isDone;

    private long before;
    /** True while the oldest unanswered request waits for the answers to earlier reads to be sent. */
    private boolean isWaiting;

    /** An unanswered request; the object is reused. */
    private static final class Request {
        private GrantedMemory memory;
        private long offset;
        /** Number of bytes to read; 0 for an atomic operation. */
        private int length;

        private RemoteBuffer landing;
        private int operation;
        private long operand;
        private long expected;
    }

    Answers(Link link, Grants grants) {
        this.link = link;
        this.sender = link.sender();
        this.grants = grants;
        boolean receiverPlaces = link.capabilities().receiverPlaces();
        placed = receiverPlaces ? link.connection().remoteBuffer(RemoteAccess.NONE, Long.MAX_VALUE) : null;
        for (int i = 0; i < MAX_COUNT; i++) {
            requests[i] = new Request();
        }
    }

    /** Adds a READ_REQUEST. Worker only. */
    void onRead(ByteBuffer body) {
        if (link.capabilities().offers(Right.READ)) {
            throw violation("sent READ_REQUEST although the transport supports reads");
        }
        int length = ReadLayout.length(body);
        if (length < 1 || length > Region.MAX_RANGE) {
            throw violation("requested length=" + length + ", which is not in the range 1 to " + Region.MAX_RANGE);
        }
        Request request = next();
        GrantedMemory memory = grants.get(ReadLayout.grantId(body));
        memory.use("read", Right.READ, ReadLayout.offset(body), length);
        request.memory = memory;
        request.offset = ReadLayout.offset(body);
        request.length = length;
        request.landing = placed != null
                ? placed
                : link.connection()
                        .remoteBuffer(new RemoteAccess(ReadLayout.address(body), ReadLayout.key(body)), length);
        add();
    }

    /** Adds an ATOMIC_REQUEST. Worker only. */
    void onAtomic(ByteBuffer body) {
        int operation = AtomicLayout.operation(body);
        if (operation != AtomicLayout.ADD && operation != AtomicLayout.SWAP
                || !Rights.mayEmulateAtomics(link.capabilities())) {
            throw violation("requested an atomic operation that is unknown, or that the transport supports:"
                    + " operation=" + operation);
        }
        long offset = AtomicLayout.offset(body);
        if (offset % Long.BYTES != 0) {
            throw violation("requested an atomic operation at offset=" + offset + ", which is not a multiple of 8");
        }
        Request request = next();
        GrantedMemory memory = grants.get(AtomicLayout.grantId(body));
        memory.use("atomic operation", Right.ATOMIC, offset, Long.BYTES);
        request.memory = memory;
        request.offset = offset;
        request.length = 0;
        request.operation = operation;
        request.operand = AtomicLayout.operand(body);
        request.expected = AtomicLayout.expected(body);
        add();
    }

    private Request next() {
        if (received - answered == MAX_COUNT) {
            throw violation("has more than " + MAX_COUNT + " unanswered reads and atomic operations");
        }
        return requests[(int) (received % MAX_COUNT)];
    }

    @SuppressWarnings("NonAtomicOperationOnVolatileField") // only the worker writes
    private void add() {
        received++;
        sender.signal(this);
        sender.sendReady();
    }

    private TransportException violation(String what) {
        return new TransportException(TransportException.Code.PROTOCOL, link.peer() + " " + what);
    }

    // Under the token.

    @Override
    protected boolean hasWork() {
        return answered != received && !isWaiting;
    }

    @Override
    protected Outcome take(int ignored) {
        if (answered == received) {
            return Outcome.IDLE;
        }
        Request request = requests[(int) (answered % MAX_COUNT)];
        return request.length > 0 ? answerRead(request) : answerAtomic(request);
    }

    private Outcome answerRead(Request request) {
        if (placed == null && sentLength == 0 && mustWait(request)) {
            return Outcome.PARKED;
        }
        VarHandle.acquireFence(); // orders these reads after those for earlier answers
        GrantedMemory memory = request.memory;
        WriteRequest write = sender.request();
        write.set(memory.region(), request.landing, sentLength, 0);
        int length = Math.min(request.length - sentLength, link.capabilities().longestWrite());
        memory.range(request.offset + sentLength, length, write.vecs());
        boolean more = sentLength + length < request.length;
        write.immediate(ImmediateLayout.granted(ImmediateLayout.ANSWER, 0, more));
        PostResult result = sender.post(more || answered + 1 != received);
        if (result == PostResult.NO_WINDOW || result == PostResult.CLOSED) {
            return Outcome.BLOCKED;
        }
        sentLength += length;
        sender.posted(memory, 0, result);
        if (!more) {
            end(request);
        }
        return Outcome.AGAIN;
    }

    private Outcome answerAtomic(Request request) {
        if (!isDone) {
            if (mustWait(request)) {
                return Outcome.PARKED;
            }
            before = execute(request);
            isDone = true;
        }
        if (!sender.send(ControlMessages.atomicAnswer(sender.scratch(), before))) {
            return Outcome.BLOCKED;
        }
        end(request);
        return Outcome.AGAIN;
    }

    /** Returns true if the request must wait because earlier answers are still being read from memory. */
    private boolean mustWait(Request request) {
        isWaiting = !request.memory.areAnswersSent(onAnswersSent);
        return isWaiting;
    }

    private void answersSent() {
        isWaiting = false;
        sender.request(this, 0);
    }

    private long execute(Request request) {
        word.clear();
        request.memory.range(request.offset, Long.BYTES, word);
        ByteBuffer bytes = word.window(0);
        int index = word.offset(0);
        return request.operation == AtomicLayout.ADD
                ? (long) LONG.getAndAdd(bytes, index, request.operand)
                : (long) LONG.compareAndExchange(bytes, index, request.expected, request.operand);
    }

    @SuppressWarnings("NonAtomicOperationOnVolatileField") // written under the token
    private void end(Request request) {
        GrantedMemory memory = request.memory;
        request.memory = null;
        request.landing = null;
        sentLength = 0;
        isDone = false;
        answered++;
        memory.used();
    }
}
