package io.rocketbufs.session;

import io.rocketbufs.grant.OneSided;
import io.rocketbufs.in.InputSink;
import io.rocketbufs.in.Inputs;
import io.rocketbufs.link.Heartbeat;
import io.rocketbufs.link.Link;
import io.rocketbufs.link.LinkOwner;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Vecs;
import io.rocketbufs.metrics.ConnectionState;
import io.rocketbufs.options.SubscribePermission;
import io.rocketbufs.out.Outputs;
import io.rocketbufs.out.Subscription;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportHandler;
import io.rocketbufs.rocketnet.Worker;
import io.rocketbufs.text.Reason;
import io.rocketbufs.wire.ControlLayout;
import io.rocketbufs.wire.ControlMessages;
import io.rocketbufs.wire.ControlType;
import io.rocketbufs.wire.HelloLayout;
import io.rocketbufs.wire.ImmediateLayout;
import io.rocketbufs.wire.PositionLayout;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The protocol of one connection. It combines the {@link Link}, this side's input buffers, the peer's subscriptions,
 * and the connection's states from the greeting to the end.
 *
 * <pre>
 *                 HELLO             close              both sides have finished
 *   GREETING ------------&gt; OPEN ------------&gt; CLOSING --------------------------+
 *      |                    |                    |                              v
 *      +--------------------+--------------------+---- failure ------&gt; SHUT ---&gt; CLOSED
 * </pre>
 *
 * <p>In CLOSING, this side sends the pending data, then END for each buffer, then its consumed positions in the peer's
 * buffers, then GOODBYE. It then half-closes the connection and reads until the peer has also half-closed it. In SHUT,
 * it closes the transport's connection while holding the sending token. Memory is freed only afterwards, in CLOSED.
 *
 * <p><b>Thread-safety:</b> transport events and state changes are handled on the worker; methods that other threads may
 * call are marked. <b>Source:</b> RocketBufs 3.2, 3.7.
 */
public final class Session implements TransportHandler, LinkOwner {
    private static final Logger LOG = LoggerFactory.getLogger(Session.class);

    private enum State {
        GREETING,
        OPEN,
        CLOSING,
        SHUT,
        CLOSED
    }

    private final SessionOwner owner;
    private final SessionSettings settings;
    private final MemoryPool pool;
    private final Link link;
    private final Heartbeat heartbeat;
    private final PeerSubscriptions subscriptions;
    private final OneSided oneSided;
    private final AtomicBoolean disconnected = new AtomicBoolean();
    private volatile State state = State.GREETING;
    private volatile Inputs inputs;
    /** Number of writes and control messages received. For metrics only; other threads may see an older value. */
    private long receivedCount;

    private TransportException failure;
    /** The GOODBYE of a graceful end. */
    private Goodbye goodbye = new Goodbye("", 0);
    /** True when HELLO has arrived. */
    private boolean greeted;
    /** True when the last reports of consumed positions have been requested. */
    private boolean reportingLast;
    /** True when GOODBYE has been sent. */
    private boolean goodbyeSent;
    /** True when GOODBYE has arrived. */
    private boolean goodbyeReceived;
    /** True when the peer has half-closed the connection. */
    private boolean peerFinished;
    /** True when this side has half-closed the connection. */
    private boolean sendingFinished;

    /**
     * Creates the session of an established connection and becomes the connection's handler. The connection must meet
     * {@link NeededCapabilities}.
     */
    public Session(TransportConnection connection, SessionOwner owner, SessionSettings settings, MemoryPool pool) {
        this.owner = owner;
        this.settings = settings;
        this.pool = pool;
        this.link = new Link(connection, this, settings.credit());
        this.heartbeat =
                new Heartbeat(link, settings.heartbeat(), () -> link.offer(ControlMessages.ping()), this::tick);
        this.subscriptions = new PeerSubscriptions(link, settings.writeMs(), this::finishWhenDrained);
        this.oneSided = new OneSided(link);
    }

    /** Starts the heartbeat. Must be called first, on the worker. */
    public void start() {
        heartbeat.start();
    }

    // Any thread.

    /** Sends HELLO before all messages that are already queued. Each side calls this once. */
    public void greet(int role, byte[] greeting) {
        link.sender().open(ControlMessages.hello(role, settings.heartbeat().intervalMs(), greeting));
    }

    /** Adds the receiving side to this connection. */
    public Inputs receiveInto(InputSink sink) {
        if (inputs != null) {
            throw new IllegalStateException("the connection to " + peer() + " already has an RIn");
        }
        Inputs made = new Inputs(link, pool, sink);
        inputs = made;
        if (state == State.CLOSED) {
            made.onClosed(end(), this::guarded);
        }
        return made;
    }

    /**
     * Adds the sending side to this connection.
     *
     * @param permission decides to which buffers the peer may subscribe
     * @param listener notified when a subscription begins or ends; null for none
     */
    public void sendFrom(Outputs from, SubscribePermission permission, SubscriptionListener listener) {
        subscriptions.sendFrom(from, permission, listener);
    }

    /** Keeps data delivered into a buffer after this call until the peer subscribes, for up to {@code timeoutMs} ms. */
    public void expect(Outputs from, int bufferId, long timeoutMs) {
        subscriptions.expect(from.existing(bufferId), timeoutMs);
    }

    /** Sends a control message from the application. */
    public void sendControl(ByteBuffer body) {
        if (state == State.CLOSED) {
            throw new TransportException(TransportException.Code.CLOSED, "the connection to " + peer() + " is closed");
        }
        if (body.remaining() > longestControl()) {
            throw new IllegalArgumentException(
                    "length=" + body.remaining() + " exceeds longestControlMessage=" + longestControl());
        }
        link.request(ControlMessages.application(body));
    }

    /** Runs a callback once the transport has accepted all control messages so far; see {@link Link#afterControl}. */
    public void afterControl(Runnable callback) {
        link.afterControl(callback);
    }

    /** Returns the maximum length in bytes of a control message from the application. */
    public int longestControl() {
        int carried = link.capabilities().longestControl() - ControlLayout.HEADER_LENGTH;
        return Math.min(ControlLayout.MAX_BODY_LENGTH, carried);
    }

    /** Sends a heartbeat. */
    public void ping() {
        if (state == State.OPEN) {
            link.offer(ControlMessages.ping());
        }
    }

    /** Closes the connection gracefully. Returns immediately. */
    public void close(String reason) {
        worker().execute(() -> closeOrderly(new Goodbye(reason, 0)));
    }

    @Override
    public void disconnect(String reason) {
        if (disconnected.compareAndSet(false, true)) {
            send(new Goodbye(reason, 0));
            fail(new TransportException(TransportException.Code.CLOSED, reason));
        }
    }

    @Override
    public void fail(TransportException cause) {
        if (worker().inWorker()) {
            failed(cause);
        } else {
            worker().execute(() -> failed(cause));
        }
    }

    /** Returns the peer's address and port, for use in log and error messages. */
    public String peer() {
        return link.peer();
    }

    /** Returns the link of this connection. */
    public Link link() {
        return link;
    }

    /** Returns the grants of this connection. */
    public OneSided oneSided() {
        return oneSided;
    }

    /** Returns the current state. */
    public ConnectionState state() {
        Inputs in = inputs;
        return new ConnectionState(
                peer(), link.sender().sentCount(), receivedCount, in == null ? List.of() : in.states());
    }

    /** Returns the worker of this connection. */
    public Worker worker() {
        return link.worker();
    }

    /** Returns true when the connection has ended. */
    public boolean isClosed() {
        return state == State.CLOSED;
    }

    // Transport events, on the worker.

    @Override
    public void place(int immediate, int length, Vecs into) {
        Inputs in = inputs;
        if (in == null || !in.place(immediate, length, into)) {
            granted(immediate).place(immediate, length, into);
        }
    }

    @Override
    public void arrived(int immediate, int length) {
        receivedCount++;
        Inputs in = inputs;
        if (in == null || !in.arrived(immediate, length)) {
            granted(immediate).arrived(immediate, length);
        }
    }

    /** Returns the handler of a write without an input buffer. Grants add no cost to subscriptions. */
    private OneSided granted(int immediate) {
        if (ImmediateLayout.isGranted(immediate)) {
            return oneSided;
        }
        throw inputs().unknown(ImmediateLayout.tag(immediate));
    }

    @Override
    public void arrivalsEnd() {
        heartbeat.heard();
        Inputs in = inputs;
        if (in != null) {
            in.arrivalsEnd();
        }
    }

    @Override
    public void control(ByteBuffer message) {
        receivedCount++;
        int correlationId =
                message.remaining() < ControlLayout.HEADER_LENGTH ? 0 : ControlLayout.correlationId(message);
        ControlType type = ControlMessages.check(message);
        if (type == ControlType.HELLO == greeted && type != ControlType.GOODBYE) {
            throw violation(type == ControlType.HELLO ? "sent a second HELLO" : "sent " + type + " before HELLO");
        }
        switch (type) {
            case HELLO -> onHello(message);
            case SUBSCRIBE ->
                subscriptions.onSubscribe(SubscribeRequest.of(message, correlationId), state != State.OPEN);
            case UNSUBSCRIBE -> subscription(message).onUnsubscribe();
            case CREDIT -> subscription(message).onCredit(PositionLayout.position(message));
            case APPLICATION -> owner.control(message);
            case GOODBYE -> onGoodbye(Goodbye.of(message));
            case PING -> {}
            case SEEK, READ_REQUEST, ATOMIC_REQUEST, ATOMIC_ANSWER, REVOKE, REVOKED -> oneSided.control(type, message);
            default -> ControlDispatch.toInput(type, message, inputs());
        }
        if (type == ControlType.SUBSCRIBE || type == ControlType.SUBSCRIBED) {
            heartbeat.onBuffer();
        }
    }

    @Override
    public void completed(int count) {
        link.sender().onCompleted(count);
    }

    @Override
    public void readCompleted(long context) {
        oneSided.readCompleted(context);
    }

    @Override
    public void atomicCompleted(long context, long before) {
        oneSided.atomicCompleted(context, before);
    }

    @Override
    public void writable() {
        link.sender().onWritable();
    }

    @Override
    public void peerFinished() {
        if (goodbyeReceived || goodbyeSent) {
            peerFinished = true;
            // A peer that has half-closed cannot send credit. Committed data is still sent, for a graceful end.
            link.sender().finishEarly();
            shutWhenBothFinished();
        } else {
            failed(new TransportException(
                    TransportException.Code.PEER_LOST,
                    peer()
                            + (greeted
                                    ? " closed the connection without a goodbye"
                                    : " closed the connection without a greeting; it may not speak the protocol of"
                                            + " RocketBufs")));
        }
    }

    @Override
    public void failed(TransportException cause) {
        if (state.compareTo(State.SHUT) < 0) {
            failure = failure == null ? named(cause) : failure;
            shut();
        }
    }

    /** Adds the peer's address to a failure whose message does not mention it. */
    private TransportException named(TransportException cause) {
        String text = cause.getMessage();
        return text.contains(peer()) ? cause : cause.withMessage(peer() + ": " + text);
    }

    @Override
    public void closed() {
        state = State.CLOSED;
        heartbeat.stop();
        TransportException end = end();
        subscriptions.onClosed(end.getMessage(), this::guarded);
        Inputs in = inputs;
        if (in != null) {
            in.onClosed(end, this::guarded);
        }
        oneSided.onClosed(end, this::guarded);
        owner.closed(failure);
    }

    private TransportException end() {
        return failure == null
                ? new TransportException(TransportException.Code.CLOSED, "the connection was closed")
                : failure;
    }

    /** Runs a step after the connection has ended. Logs an exception from a callback, so that the other steps run. */
    private void guarded(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            LOG.error("A callback failed after the connection to {} ended", peer(), e);
        }
    }

    // Control messages, on the worker.

    private void onHello(ByteBuffer body) {
        if (!HelloLayout.hasMagic(body)) {
            throw violation("sent a HELLO with a wrong magic number");
        }
        if (HelloLayout.protocolVersion(body) != HelloLayout.PROTOCOL_VERSION) {
            TransportException unsupported = violation("uses protocolVersion="
                    + HelloLayout.protocolVersion(body) + ", but only version " + HelloLayout.PROTOCOL_VERSION
                    + " is supported: use the same version of RocketBufs on both sides");
            failure = unsupported;
            // GOODBYE is the same in all versions, so the peer also receives the reason.
            closeOrderly(Goodbye.refusal(unsupported));
            return;
        }
        int heartbeatMs = HelloLayout.heartbeatMs(body);
        if (heartbeatMs < 1) {
            throw violation("announced heartbeatMs=" + heartbeatMs + ", which is not positive");
        }
        heartbeat.greeted(heartbeatMs);
        oneSided.onHello(HelloLayout.features(body));
        greeted = true;
        if (state != State.GREETING) {
            return;
        }
        state = State.OPEN;
        try {
            owner.greeted(HelloLayout.role(body), HelloLayout.greeting(body));
        } catch (RuntimeException e) {
            if (e instanceof TransportException) {
                LOG.warn("Refused the connection from {}: {}", peer(), Reason.of(e));
            } else {
                LOG.error("Refused the connection from {}: {}", peer(), Reason.of(e), e);
            }
            closeOrderly(Goodbye.refusal(e));
        }
    }

    private void onGoodbye(Goodbye said) {
        goodbyeReceived = true;
        if (!said.reason().isEmpty() && state.compareTo(State.CLOSING) < 0) {
            failure = said.failure(peer(), greeted);
        }
    }

    private Subscription subscription(ByteBuffer body) {
        return subscriptions.get(PositionLayout.tag(body));
    }

    private Inputs inputs() {
        Inputs in = inputs;
        if (in == null) {
            throw violation("sent data or a message for an input buffer, but this connection has no input buffers");
        }
        return in;
    }

    private TransportException violation(String what) {
        return new TransportException(TransportException.Code.PROTOCOL, peer() + " " + what);
    }

    // The end, on the worker.

    /** Called by the heartbeat after {@code elapsedMs} more milliseconds. Returns true if there are any buffers. */
    public boolean tick(long elapsedMs) {
        boolean hasOutput = subscriptions.tick(elapsedMs);
        Inputs in = inputs;
        return in != null && in.tick(heartbeat.isLate() ? 0 : elapsedMs) || hasOutput;
    }

    private void closeOrderly(Goodbye last) {
        if (state.compareTo(State.CLOSING) >= 0) {
            return;
        }
        state = State.CLOSING;
        goodbye = last;
        subscriptions.onClosing();
        worker().schedule(
                        () -> fail(new TransportException(
                                TransportException.Code.TIMEOUT,
                                "closing the connection to " + peer() + " took longer than " + settings.closeMs()
                                        + " ms")),
                        settings.closeMs());
        finishWhenDrained();
    }

    private void finishWhenDrained() {
        if (state == State.CLOSING && !reportingLast && subscriptions.areSilent()) {
            reportingLast = true;
            Inputs in = inputs;
            if (in == null) {
                finish();
            } else {
                in.reportLast(this::finish);
            }
        }
    }

    private void finish() {
        if (state == State.CLOSING) {
            goodbyeSent = true;
            send(goodbye);
            link.sender().finish();
        }
    }

    private void send(Goodbye last) {
        link.sender().openEmpty();
        link.answer(last.message());
    }

    @Override
    public void sendingFinished() {
        sendingFinished = true;
        shutWhenBothFinished();
    }

    private void shutWhenBothFinished() {
        if (peerFinished && sendingFinished && state.compareTo(State.SHUT) < 0) {
            shut();
        }
    }

    private void shut() {
        state = State.SHUT;
        link.sender().close();
    }
}
