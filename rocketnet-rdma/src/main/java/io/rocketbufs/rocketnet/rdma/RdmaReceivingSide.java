package io.rocketbufs.rocketnet.rdma;

import io.rocketbufs.rocketnet.TransportHandler;
import io.rocketbufs.rocketnet.rdma.ofi.Ofi;
import io.rocketbufs.rocketnet.rdma.ofi.OfiConstants;
import io.rocketbufs.rocketnet.rdma.ofi.OfiException;
import io.rocketbufs.rocketnet.rdma.ofi.OfiFunction;
import io.rocketbufs.rocketnet.rdma.ofi.OfiMessage;
import io.rocketbufs.rocketnet.rdma.ofi.OfiRma;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * The receiving side of a connection: handles arrivals, keeps receives posted, and reports their number to the peer.
 *
 * <p>This class writes the number into a word of the peer each time a quarter of the receives has been used up. It also
 * writes the number when the peer sends STARVING, and then sends a notice. Neither the write nor the notice uses the
 * sending side, which another thread may hold: libfabric's endpoints are thread-safe, and this class has its own work
 * structures.
 *
 * <p><b>Thread-safety:</b> belongs to the worker.
 */
final class RdmaReceivingSide {
    private static final long RETRY_MS = 1;

    private final RdmaEndpoint endpoint;
    private final RdmaThread worker;
    private final RdmaTraits traits;
    private final RdmaScratch scratch;
    private final RdmaSendingSide sending;
    private final int number;
    private final int receives;
    private final OfiFunction recvmsg;
    private final OfiFunction sendmsg;
    private final OfiFunction writemsg;
    private final OfiMessage receive = new OfiMessage();
    private final OfiMessage answer = new OfiMessage();
    private final OfiRma tell = new OfiRma(1);
    private final ByteBuffer control = ByteBuffer.allocate(RdmaNotice.LONGEST_CONTROL);
    private final ByteBuffer slots;

    private InetSocketAddress remoteAddress;
    private TransportHandler handler;
    private long processed;
    private long told;
    private boolean answerDue;
    private boolean arrivals;
    private boolean sendCompletions;
    private boolean peerFinished;
    private boolean stopped;

    RdmaReceivingSide(RdmaEndpoint endpoint, RdmaSendingSide sending, RdmaThread worker) {
        this.endpoint = endpoint;
        this.sending = sending;
        this.worker = worker;
        scratch = endpoint.scratch();
        receives = endpoint.domain().receives();
        traits = endpoint.domain().traits();
        number = endpoint.number();
        Ofi ofi = endpoint.domain().ofi();
        recvmsg = ofi.recvmsg(endpoint.fid());
        sendmsg = ofi.sendmsg(endpoint.fid());
        writemsg = ofi.writemsg(endpoint.fid());
        slots = scratch.bytes().duplicate();
        tell.localCount(1);
        tell.local(0, scratch.address(scratch.answers()), Long.BYTES, scratch.descriptor());
        // Only the errors of these operations are reported, and the context identifies the connection.
        tell.contextAndData(Contexts.receive(number, 0), 0);
        answer.set(
                scratch.address(scratch.answers() + Long.BYTES), 1, scratch.descriptor(), Contexts.receive(number, 0));
    }

    /**
     * Posts all receives, before the peer can send anything.
     *
     * @throws OfiException if the provider cannot accept this many receives
     */
    void postAll() {
        for (int slot = 0; slot < receives; slot++) {
            int code = post(slot);
            if (code != 0) {
                throw new OfiException(
                        "fi_recvmsg", -code, endpoint.domain().ofi().strerror(-code));
            }
        }
    }

    private int post(int slot) {
        int at = scratch.receiveSlot(slot);
        receive.set(scratch.address(at), RdmaScratch.SLOT_LENGTH, scratch.descriptor(), Contexts.receive(number, slot));
        return recvmsg.call(receive.address(), OfiConstants.FI_COMPLETION);
    }

    private void postAgain(int slot) {
        int code = post(slot);
        if (code != 0) {
            endpoint.owner().postingFailed("post a receive for", -code);
        }
    }

    /** Sets the peer's greeting and address. */
    void peerIs(RdmaGreeting peer, InetSocketAddress address) {
        remoteAddress = address;
        tell.remoteKey(peer.wordKey());
        tell.remote(peer.wordAddress(), Long.BYTES);
    }

    /** Sets the handler of arrivals. */
    void begin(TransportHandler handler) {
        this.handler = handler;
    }

    boolean isPeerFinished() {
        return peerFinished;
    }

    void completion(long context, long flags, long length, long data) {
        if ((flags & OfiConstants.FI_REMOTE_WRITE) != 0) {
            arrivals = true;
            if (traits.consumesReceive()) {
                processed++;
                postAgain(Contexts.slot(context));
            }
            written((int) data, (int) (traits.lengthInImmediate() ? data >>> Integer.SIZE : length));
        } else if ((flags & OfiConstants.FI_RECV) != 0) {
            arrivals = true;
            processed++;
            int slot = Contexts.slot(context);
            message(scratch.receiveSlot(slot), (int) length);
            postAgain(slot);
        } else {
            sendCompletions = true;
            if (Contexts.isFetch(context)) {
                sending.onFetched(context, handler);
            } else {
                sending.onCompletion(context);
            }
        }
    }

    /**
     * Reports a write. If the length is part of the immediate data, it is not trusted: the peer can set it to any
     * value.
     */
    private void written(int immediate, int length) {
        if (length < 0) {
            throw RdmaFailures.protocol(remoteAddress, "received a write of " + length + " bytes");
        }
        handler.arrived(immediate, length);
    }

    /**
     * Handles an arrival after the user has closed the connection. The arrival is not reported to the user, but the
     * peer may need an answer before it can close the connection.
     */
    void lateArrival(long context, long flags) {
        boolean message = (flags & OfiConstants.FI_REMOTE_WRITE) == 0;
        if (message) {
            byte type = slots.get(scratch.receiveSlot(Contexts.slot(context)));
            answerDue |= type == RdmaNotice.STARVING;
            if (type == RdmaNotice.RECEIVES) {
                sending.onReceives();
            }
        }
        if (message || traits.consumesReceive()) {
            processed++;
            postAgain(Contexts.slot(context));
        }
    }

    private void message(int at, int length) {
        if (length < 1) {
            throw RdmaFailures.protocol(remoteAddress, "received an empty message");
        }
        switch (slots.get(at)) {
            case RdmaNotice.CONTROL -> controlEnds(at + 1, length - 1);
            case RdmaNotice.CONTROL_MORE -> controlGoesOn(at + 1, length - 1);
            case RdmaNotice.STARVING -> answerDue = true;
            case RdmaNotice.RECEIVES -> {
                sending.onReceives();
                sendCompletions = true;
            }
            case RdmaNotice.FINISH -> peerFinished = true;
            default ->
                throw RdmaFailures.protocol(remoteAddress, "received a message of unknown type " + slots.get(at));
        }
    }

    private void controlGoesOn(int at, int length) {
        if (length > control.remaining()) {
            throw RdmaFailures.protocol(
                    remoteAddress, "received a control message of more than " + RdmaNotice.LONGEST_CONTROL + " bytes");
        }
        control.put(control.position(), slots, at, length);
        control.position(control.position() + length);
    }

    private void controlEnds(int at, int length) {
        if (control.position() == 0) {
            handler.control(slots.limit(at + length).position(at));
        } else {
            controlGoesOn(at, length);
            handler.control(control.flip());
            control.clear();
        }
        slots.clear();
    }

    /** Ends a batch of late arrivals. */
    void lateBatchEnd() {
        if (answerDue) {
            tell();
        }
    }

    /** Ends a batch of completions. */
    void batchEnd() {
        if (answerDue || processed - told >= Math.max(1, receives / 4)) {
            tell();
        }
        if (sendCompletions) {
            sendCompletions = false;
            int count = sending.takeCompletedWrites();
            if (count > 0) {
                handler.completed(count);
            } else {
                handler.writable();
            }
        }
        if (arrivals) {
            arrivals = false;
            handler.arrivalsEnd();
        }
    }

    /** Stops reporting receives to the peer. */
    void stop() {
        stopped = true;
    }

    /**
     * Reports to the peer the total number of receives that have been posted. Once this side has begun to finish, it
     * reports the number only if the peer has requested it. The peer waits for the answer before it closes, so no
     * message is in flight to a closed endpoint.
     */
    private void tell() {
        if (stopped || sending.hasBegunToFinish() && !answerDue) {
            return;
        }
        int at = scratch.answers();
        scratch.bytes().putLong(at, processed + receives);
        if (!posted(writemsg.call(tell.address(), OfiConstants.FI_INJECT))) {
            return;
        }
        told = processed;
        if (answerDue) {
            scratch.bytes().put(at + Long.BYTES, RdmaNotice.RECEIVES);
            if (posted(sendmsg.call(answer.address(), OfiConstants.FI_INJECT))) {
                answerDue = false;
                sending.onAnswer();
            }
        }
    }

    private boolean posted(int code) {
        if (code == -OfiConstants.FI_EAGAIN) {
            worker.schedule(this::tell, RETRY_MS);
        } else if (code != 0) {
            endpoint.owner().postingFailed("write to", -code);
        }
        return code == 0;
    }
}
