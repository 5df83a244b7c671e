package io.rocketbufs.rocketnet.rdma;

import io.rocketbufs.memory.Slab;
import io.rocketbufs.memory.Vecs;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.ReadRequest;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.RemoteBuffer;
import io.rocketbufs.rocketnet.TransportHandler;
import io.rocketbufs.rocketnet.WriteRequest;
import io.rocketbufs.rocketnet.rdma.ofi.Ofi;
import io.rocketbufs.rocketnet.rdma.ofi.OfiConstants;
import io.rocketbufs.rocketnet.rdma.ofi.OfiFunction;
import io.rocketbufs.rocketnet.rdma.ofi.OfiMessage;
import io.rocketbufs.rocketnet.rdma.ofi.OfiRma;
import java.nio.ByteBuffer;

/**
 * The sending side of a connection: posts operations, and tracks the number of outstanding operations and of the peer's
 * receives.
 *
 * <p><em>Window.</em> Operations are numbered. Only some operations report their completion, which also covers all
 * earlier operations. An operation that still reads its memory after it has been posted reports its completion, unless
 * another reporting operation is outstanding. If no reporting operation follows, an empty write is posted, and its
 * completion covers the remaining operations.
 *
 * <p><em>Fetches.</em> Reads and atomic operations always report their completion. Some providers complete a write as
 * soon as it has been sent, before an earlier fetch. Therefore the completion of a fetch covers all earlier writes and
 * messages, but a fetch is complete only when its own completion has arrived ({@link RdmaFetches}).
 *
 * <p><em>Receives.</em> Each message uses up one of the peer's receives; with some providers, so does each write. The
 * peer writes the total number of receives that it has posted into a word on this side. Two receives are reserved for
 * notices. A side that has used up all other receives sends STARVING once, and rereads the word. The peer answers with
 * RECEIVES after it has written the word.
 *
 * <p><b>Thread-safety:</b> {@link #onCompletion} and the methods that follow it belong to the worker. All other methods
 * belong to the thread that holds the connection's sending side, unless stated otherwise.
 *
 * <p><b>Source:</b> RocketBufs 3.5. Credit for receives and selective signalling are additions.
 */
final class RdmaSendingSide {
    /** Number of the peer's receives that are reserved for notices: one for STARVING, and one for RECEIVES. */
    private static final int RESERVE = 2;
    /** Maximum number of bytes in posted operations that rely on the completion of another operation. */
    private static final long SIGNAL_LENGTH = 64 * 1024;

    private final RdmaEndpoint.Owner owner;
    private final RdmaMemory memory;
    private final RdmaTraits traits;
    private final boolean writesUseReceives;
    private final int number;
    private final int window;
    private final int signalInterval;
    private final int injectLength;
    private final OfiFunction writemsg;
    private final OfiFunction sendmsg;
    private final RdmaScratch scratch;
    private final RdmaWords.Word receivesWord;
    private final OfiMessage message = new OfiMessage();
    private final OfiRma wordWrite = new OfiRma(1);
    private final OfiRma coverWrite = new OfiRma(1);
    private final RdmaEndpoint endpoint;
    private final long[] slotOperations = new long[RdmaScratch.SEND_SLOTS];
    private final ByteBuffer pending =
            ByteBuffer.allocate(RdmaNotice.LONGEST_CONTROL).limit(0);

    private long posted;
    private long signalled;
    private long unsignalledLength;
    /** Number of the newest operation that the completion of a later operation must cover. */
    private long needy;

    private long writes;
    /** Number of the peer's receives that this side has used up. */
    private long used;

    private long allowed;
    private Slab lastSlab;
    private long lastDescriptor;
    private volatile boolean finishing;
    private volatile long finishOperation;

    private volatile long covered;
    private volatile boolean asked;
    /** Number of the peer's receives that the worker has used up by answering. */
    private volatile long answers;

    private long writesCovered;
    private long writesReported;
    /** The outstanding fetches; null until the first read or atomic operation. */
    private volatile RdmaFetches fetches;

    RdmaSendingSide(RdmaEndpoint endpoint) {
        this.endpoint = endpoint;
        owner = endpoint.owner();
        scratch = endpoint.scratch();
        receivesWord = endpoint.receivesWord();
        RdmaDomain domain = endpoint.domain();
        memory = domain.memory();
        traits = domain.traits();
        writesUseReceives = traits.consumesReceive();
        number = endpoint.number();
        window = domain.window();
        signalInterval = Math.min(domain.settings().signalInterval(), window / 2);
        injectLength = domain.capabilities().injectLength();
        Ofi ofi = domain.ofi();
        writemsg = ofi.writemsg(endpoint.fid());
        sendmsg = ofi.sendmsg(endpoint.fid());
        wordWrite.localCount(1);
        wordWrite.local(0, scratch.address(scratch.inject()), Long.BYTES, scratch.descriptor());
    }

    /** Sets the peer's greeting. */
    void peerIs(RdmaGreeting peer) {
        allowed = peer.receives();
        coverWrite.remoteKey(peer.wordKey());
        coverWrite.remote(peer.wordAddress(), 0);
        coverWrite.local(0, scratch.address(scratch.inject()), 0, scratch.descriptor());
        coverWrite.localCount(0);
    }

    // Called by the thread that holds the sending side.

    PostResult write(WriteRequest request) {
        if (!isReady(writesUseReceives)) {
            return PostResult.NO_WINDOW;
        }
        long data = Integer.toUnsignedLong(request.immediate());
        if (traits.lengthInImmediate()) {
            data |= request.vecs().totalLength() << Integer.SIZE;
        }
        PostResult result = post(request, data, OfiConstants.FI_REMOTE_CQ_DATA);
        if (writesUseReceives && (result == PostResult.SENT || result == PostResult.POSTED)) {
            used++;
        }
        return result;
    }

    PostResult put(WriteRequest request) {
        return isReady(false) ? post(request, 0, 0) : PostResult.NO_WINDOW;
    }

    PostResult read(ReadRequest request) {
        if (!isReady(false) || !fetches().hasSlot()) {
            return PostResult.NO_WINDOW;
        }
        long descriptor = descriptor(request.region().slab());
        return fetching("read from", fetches().read(request, descriptor, posted + 1, writes));
    }

    PostResult fetchAdd(RemoteBuffer remote, long remoteOffset, long addend, long context) {
        if (!isReady(false) || !fetches().hasSlot()) {
            return PostResult.NO_WINDOW;
        }
        fetches().begin(context, posted + 1, writes);
        return fetching("add to a word of", fetches().fetchAdd(remote, remoteOffset, addend));
    }

    PostResult compareSwap(RemoteBuffer remote, long remoteOffset, long expected, long desired, long context) {
        if (!isReady(false) || !fetches().hasSlot()) {
            return PostResult.NO_WINDOW;
        }
        fetches().begin(context, posted + 1, writes);
        return fetching("swap a word of", fetches().compareSwap(remote, remoteOffset, expected, desired));
    }

    private RdmaFetches fetches() {
        RdmaFetches existing = fetches;
        if (existing == null) {
            existing = new RdmaFetches(endpoint);
            fetches = existing;
        }
        return existing;
    }

    private PostResult fetching(String operation, int code) {
        if (code != 0) {
            return notPosted(operation, code);
        }
        posted(true, false, 0);
        return PostResult.POSTED;
    }

    /** Posts a write with or without immediate data. {@code dataFlag} is the flag for immediate data, or 0. */
    private PostResult post(WriteRequest request, long data, long dataFlag) {
        OfiRma work = ((RdmaRemoteBuffer) request.remote()).work();
        Vecs vecs = request.vecs();
        long length = vecs.totalLength();
        long descriptor = descriptor(request.region().slab());
        if (vecs.count() == 0) {
            // Providers read the first descriptor even if the write is empty.
            work.local(0, 0, 0, descriptor);
        }
        for (int i = 0; i < vecs.count(); i++) {
            work.local(i, vecs.address(i), vecs.length(i), descriptor);
        }
        work.localCount(vecs.count());
        work.remote(request.remote().access().address() + request.remoteOffset(), length);
        boolean inject = length <= injectLength;
        boolean signal = mustSignal(!inject, length);
        work.contextAndData(Contexts.send(number, posted + 1, inject ? writes : writes + 1), data);
        int code = writemsg.call(work.address(), dataFlag | flags(inject, signal));
        if (code != 0) {
            return notPosted("write to", code);
        }
        writes += inject ? 0 : 1;
        posted(signal, !inject, length);
        return inject ? PostResult.SENT : PostResult.POSTED;
    }

    PostResult send(ByteBuffer control) {
        if (!isReady(true)) {
            return PostResult.NO_WINDOW;
        }
        int length = control.remaining();
        if (length <= RdmaScratch.SLOT_LENGTH - 1) {
            return post(RdmaNotice.CONTROL, control, control.position(), length);
        }
        pending.clear();
        pending.put(0, control, control.position(), length).limit(length);
        flushPending();
        return PostResult.SENT;
    }

    PostResult writeWord(RemoteAccess word, long value) {
        if (!isReady(false)) {
            return PostResult.NO_WINDOW;
        }
        scratch.bytes().putLong(scratch.inject(), value);
        wordWrite.remoteKey(word.key());
        wordWrite.remote(word.address(), Long.BYTES);
        return postSilently(wordWrite, mustSignal(false, 0));
    }

    /**
     * Continues sending pending messages, which already count as sent. Posts an empty write if operations need the
     * completion of a later operation and no later operation will report its completion.
     */
    void progress() {
        flushPending();
        if (finishing && finishOperation == 0) {
            tryFinish();
        }
        if (needy > signalled && signalled <= covered) {
            postSilently(coverWrite, true);
        }
    }

    void finish() {
        finishing = true;
        tryFinish();
    }

    private void tryFinish() {
        if (isReady(true) && notice(RdmaNotice.FINISH, true) == PostResult.SENT) {
            finishOperation = posted;
        }
    }

    /**
     * Returns whether the end is pending: it has been requested, but the request might not have reached the peer yet,
     * or the peer has not yet answered STARVING.
     */
    boolean isFinishing() {
        return finishing && (finishOperation == 0 || covered < finishOperation || asked);
    }

    /**
     * Returns whether the end has been requested. After the request, this side sends nothing else. Any thread may call
     * this method.
     */
    boolean hasBegunToFinish() {
        return finishing;
    }

    private boolean isReady(boolean usesReceive) {
        return flushPending() && hasWindow() && (!usesReceive || hasReceive());
    }

    private boolean hasWindow() {
        return posted - covered < window;
    }

    private boolean hasReceive() {
        if (hasReceiveLeft()) {
            return true;
        }
        allowed = Math.max(allowed, receivesWord.value());
        return hasReceiveLeft() || ask();
    }

    private boolean hasReceiveLeft() {
        return used + answers < allowed - RESERVE;
    }

    private boolean ask() {
        if (!asked) {
            asked = true;
            if (notice(RdmaNotice.STARVING, false) != PostResult.SENT) {
                asked = false;
                return false;
            }
            allowed = Math.max(allowed, receivesWord.value());
        }
        return hasReceiveLeft();
    }

    private boolean flushPending() {
        while (pending.hasRemaining()) {
            int length = Math.min(pending.remaining(), RdmaScratch.SLOT_LENGTH - 1);
            byte type = length < pending.remaining() ? RdmaNotice.CONTROL_MORE : RdmaNotice.CONTROL;
            if (!hasWindow() || !hasReceive() || post(type, pending, pending.position(), length) != PostResult.SENT) {
                return false;
            }
            pending.position(pending.position() + length);
        }
        return true;
    }

    /** Copies and posts part of a control message. */
    private PostResult post(byte type, ByteBuffer from, int offset, int length) {
        boolean inject = length + 1 <= injectLength;
        int slot = (int) (posted % RdmaScratch.SEND_SLOTS);
        if (!inject && slotOperations[slot] > covered) {
            return PostResult.NO_WINDOW;
        }
        int at = inject ? scratch.inject() : scratch.sendSlot(slot);
        scratch.bytes().put(at, type).put(at + 1, from, offset, length);
        PostResult result = postMessage(at, length + 1, inject, mustSignal(!inject, length));
        if (!inject && result == PostResult.SENT) {
            slotOperations[slot] = posted;
        }
        return result;
    }

    private PostResult notice(byte type, boolean signal) {
        scratch.bytes().put(scratch.inject(), type);
        return postMessage(scratch.inject(), 1, true, signal || mustSignal(false, 0));
    }

    private PostResult postMessage(int at, int length, boolean inject, boolean signal) {
        message.set(scratch.address(at), length, scratch.descriptor(), Contexts.send(number, posted + 1, writes));
        int code = sendmsg.call(message.address(), flags(inject, signal));
        if (code != 0) {
            return notPosted("send to", code);
        }
        used++;
        posted(signal, !inject, length);
        return PostResult.SENT;
    }

    /** Posts a write that is not reported to the peer. */
    private PostResult postSilently(OfiRma work, boolean signal) {
        work.contextAndData(Contexts.send(number, posted + 1, writes), 0);
        int code = writemsg.call(work.address(), flags(true, signal));
        if (code != 0) {
            return notPosted("write to", code);
        }
        posted(signal, false, 0);
        return PostResult.SENT;
    }

    private static long flags(boolean inject, boolean signal) {
        return (inject ? OfiConstants.FI_INJECT : 0) | (signal ? OfiConstants.FI_COMPLETION : 0);
    }

    private boolean mustSignal(boolean needsCover, long length) {
        return posted + 1 - signalled >= signalInterval
                || needsCover && (signalled <= covered || unsignalledLength + length >= SIGNAL_LENGTH);
    }

    private void posted(boolean signal, boolean needsCover, long length) {
        posted++;
        if (signal) {
            signalled = posted;
            unsignalledLength = 0;
        } else if (needsCover) {
            needy = posted;
            unsignalledLength += length;
        }
    }

    private PostResult notPosted(String operation, int code) {
        if (code == -OfiConstants.FI_EAGAIN) {
            owner.noRoomToPost();
            return PostResult.NO_WINDOW;
        }
        owner.postingFailed(operation, -code);
        return PostResult.CLOSED;
    }

    /**
     * Returns the descriptor of a slab. The last descriptor is cached, because most connections send from the same
     * buffer for a long time.
     */
    private long descriptor(Slab slab) {
        if (slab != lastSlab) {
            lastDescriptor = memory.descriptor(slab);
            lastSlab = slab;
        }
        return lastDescriptor;
    }

    // Called by the worker.

    /** Called when an operation and all earlier ones have completed. */
    void onCompletion(long context) {
        cover(Contexts.operation(context, covered), Contexts.writes(context, writesCovered));
    }

    /** Called when a fetch has completed. The peer has executed all earlier operations before the fetch. */
    void onFetched(long context, TransportHandler handler) {
        RdmaFetches all = fetches;
        int slot = Contexts.slot(context);
        cover(all.operation(slot), all.writes(slot));
        all.completed(slot, handler);
    }

    /**
     * Completions of fetches may overtake other completions, so a number can be lower than the previous completion's
     * number.
     */
    private void cover(long operation, long writesSoFar) {
        if (operation > covered) {
            covered = operation;
        }
        writesCovered = Math.max(writesCovered, writesSoFar);
    }

    /** Returns the number of writes that have completed since the last call. */
    int takeCompletedWrites() {
        int count = (int) (writesCovered - writesReported);
        writesReported = writesCovered;
        return count;
    }

    /** Called when the peer has answered STARVING. */
    void onReceives() {
        asked = false;
    }

    /** Called when the worker has used up one of the peer's receives. */
    void onAnswer() {
        answers++;
    }
}
