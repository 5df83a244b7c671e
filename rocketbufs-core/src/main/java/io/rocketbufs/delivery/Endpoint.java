package io.rocketbufs.delivery;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Vecs;
import io.rocketbufs.metrics.ConnectionState;
import io.rocketbufs.metrics.InputState;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportHandler;
import io.rocketbufs.rocketnet.Worker;
import io.rocketbufs.wire.ControlLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection inside core: brings together its sending side, its input buffers, its subscriptions to an output's
 * buffers, and its life from the greeting to the end.
 *
 * <p>An orderly close sends what is pending, then END for each buffer, then GOODBYE, half-closes, and reads until the
 * peer does the same. A connection that breaks ends at once. Either way the transport is closed with the sending token
 * held, and only then is memory given back.
 *
 * <p><b>Thread-safety:</b> transport events and state on the worker; what other threads may call says so.
 * <b>Source:</b> RocketBufs 3.2, 3.7.
 */
public final class Endpoint implements TransportHandler {
    private static final Logger LOG = LoggerFactory.getLogger(Endpoint.class);

    private enum State {
        GREETING,
        OPEN,
        CLOSING,
        CLOSED
    }

    private final TransportConnection connection;
    private final EndpointOwner owner;
    private final EndpointSettings settings;
    private final MemoryPool pool;
    private final Sender sender;
    private final Controls controls = new Controls(this);
    private final ControlDispatch dispatch = new ControlDispatch(this);
    private final Liveness liveness;
    private final Subscriptions subscriptions = new Subscriptions(this);
    private volatile State state = State.GREETING;
    private volatile Inputs inputs;
    /** Written by the worker alone; for metrics only, which may see it late. */
    private long receivedCount;

    private final AtomicBoolean disconnected = new AtomicBoolean();
    private long heardCount;
    private TransportException failure;
    private boolean failed;
    private boolean goodbyeSaid;
    private boolean peerFinished;
    private boolean sendingFinished;
    private String closeReason = "";
    private String goodbye;

    /** Takes over an established connection; its handler. */
    public Endpoint(TransportConnection connection, EndpointOwner owner, EndpointSettings settings, MemoryPool pool) {
        this.connection = connection;
        this.owner = owner;
        this.settings = settings;
        this.pool = pool;
        this.sender = new Sender(
                connection,
                this::sendingFinished,
                connection::close,
                e -> fail(new TransportException(
                        TransportException.Code.IO, "sending to " + peer() + " failed: " + e, e)));
        this.liveness = new Liveness(this, settings);
    }

    /** Starts the clock; on the worker, first of all. */
    public void start() {
        liveness.start();
    }

    // Any thread.

    /** Says hello, which goes before whatever is to be sent already; each side does so once. */
    public void greet(int role, byte[] greeting) {
        controls.hello(role, settings.heartbeatMs(), greeting);
    }

    /** Makes this connection one that receives. */
    public Inputs receiveInto(InputSink sink) {
        if (inputs != null) {
            throw new IllegalStateException("the connection to " + peer() + " has an RIn already");
        }
        Inputs made = new Inputs(this, pool, sink);
        inputs = made;
        if (state == State.CLOSED) {
            made.onClosed(failure == null ? wasClosed() : failure);
        }
        return made;
    }

    /** Makes this connection one that is sent to. */
    public void sendFrom(Outputs from) {
        subscriptions.to(from);
    }

    /** Sends a control message of the application. */
    public void sendControl(ByteBuffer body) {
        if (state == State.CLOSED) {
            throw new TransportException(TransportException.Code.CLOSED, "the connection to " + peer() + " is closed");
        }
        controls.application(body);
    }

    /** Bytes of the longest control message of the application. */
    public int longestControl() {
        int carried = connection.capabilities().longestControl() - ControlLayout.HEADER_LENGTH;
        return Math.min(ControlLayout.MAX_BODY_LENGTH, carried);
    }

    /** Sends a sign of life. */
    public void ping() {
        if (state == State.OPEN) {
            controls.ping();
        }
    }

    /** Closes in good order; returns at once. */
    public void close(String reason) {
        worker().execute(() -> closeOrderly(reason));
    }

    /** Cuts the connection for a reason of ours, the first one, and tells the peer if it listens. */
    public void disconnect(String reason) {
        if (!disconnected.compareAndSet(false, true)) {
            return;
        }
        controls.goodbye(reason);
        fail(new TransportException(TransportException.Code.CLOSED, reason));
    }

    /** The connection ends now. */
    public void fail(TransportException cause) {
        if (worker().inWorker()) {
            failed(cause);
        } else {
            worker().execute(() -> failed(cause));
        }
    }

    /** The peer's address, for messages. */
    public String peer() {
        return connection.remoteAddress().getAddress().getHostAddress() + ":"
                + connection.remoteAddress().getPort();
    }

    /** Numbers of this moment. */
    public ConnectionState state() {
        Inputs in = inputs;
        List<InputState> buffers = new ArrayList<>();
        if (in != null) {
            in.all().forEach(buffer -> buffers.add(buffer.state()));
        }
        return new ConnectionState(peer(), sender.sentCount(), receivedCount, buffers);
    }

    /** The transport's side of this connection. */
    public TransportConnection connection() {
        return connection;
    }

    /** The thread of this connection. */
    public Worker worker() {
        return connection.worker();
    }

    /** True from the end on. */
    public boolean isClosed() {
        return state == State.CLOSED;
    }

    EndpointSettings settings() {
        return settings;
    }

    boolean isGreeted() {
        return state != State.GREETING;
    }

    /** Changes whenever the peer was heard, be it but a part of a write. Worker only. */
    long heardCount() {
        return heardCount;
    }

    Sender sender() {
        return sender;
    }

    Controls controls() {
        return controls;
    }

    // Transport events, on the worker.

    @Override
    public void place(int immediate, int length, Vecs into) {
        inputs().place(immediate, length, into);
    }

    @Override
    public void arrived(int immediate, int length) {
        receivedCount++;
        inputs().arrived(immediate, length);
    }

    @Override
    public void arrivalsEnd() {
        heardCount++;
        Inputs in = inputs;
        if (in != null) {
            in.arrivalsEnd();
        }
    }

    @Override
    public void control(ByteBuffer message) {
        receivedCount++;
        dispatch.dispatch(message);
    }

    @Override
    public void completed(int count) {
        sender.onCompleted(count);
    }

    @Override
    public void writable() {
        sender.onWritable();
    }

    @Override
    public void peerFinished() {
        if (goodbye != null || goodbyeSaid) {
            peerFinished = true;
            // Who has finished cannot give credit any more; but what is committed is sent, for a clean end.
            sender.finishEarly();
            closeWhenBothFinished();
        } else {
            failed(new TransportException(
                    TransportException.Code.PEER_LOST, peer() + " closed the connection without a goodbye"));
        }
    }

    @Override
    public void failed(TransportException cause) {
        if (!failed && state != State.CLOSED) {
            failed = true;
            failure = failure == null ? named(cause) : failure;
            shutDown();
        }
    }

    /** Who finds a breach deep inside does not know whose it is. */
    private TransportException named(TransportException cause) {
        String text = cause.getMessage();
        return text.contains(peer()) ? cause : new TransportException(cause.code(), peer() + ": " + text, cause);
    }

    @Override
    public void closed() {
        state = State.CLOSED;
        TransportException end = failure == null ? wasClosed() : failure;
        subscriptions.onClosed(end.getMessage());
        Inputs in = inputs;
        if (in != null) {
            in.onClosed(end);
        }
        owner.closed(failure);
    }

    private static TransportException wasClosed() {
        return new TransportException(TransportException.Code.CLOSED, "the connection was closed");
    }

    /** The connection is over already, so a callback that throws must not keep anything else from its end. */
    void guarded(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            LOG.error("A callback failed at the end of the connection of {}", peer(), e);
        }
    }

    // Called by the control dispatch, on the worker.

    void onHello(int role, int peerHeartbeatMs, byte[] greeting) {
        liveness.setPeerHeartbeatMs(peerHeartbeatMs);
        state = State.OPEN;
        try {
            owner.greeted(role, greeting);
        } catch (RuntimeException e) {
            LOG.warn("Refused the connection of {}: {}", peer(), e.getMessage());
            closeOrderly("refused: " + e.getMessage());
        }
    }

    void onApplication(ByteBuffer body) {
        owner.control(body);
    }

    void onGoodbye(String reason) {
        goodbye = reason;
        if (!reason.isEmpty() && state != State.CLOSING) {
            failure = new TransportException(
                    isGreeted() ? TransportException.Code.PEER_LOST : TransportException.Code.REFUSED,
                    peer() + " closed the connection: " + reason);
        }
    }

    void onSubscribe(SubscribeRequest request) {
        subscriptions.onSubscribe(request, state == State.CLOSING);
    }

    Subscription subscription(int tag) {
        return subscriptions.get(tag);
    }

    Inputs inputs() {
        Inputs in = inputs;
        if (in == null) {
            throw new TransportException(TransportException.Code.PROTOCOL, "nothing is subscribed on this connection");
        }
        return in;
    }

    // Called by subscriptions, under the sending token.

    /** A subscription sends nothing more and uses no memory. */
    void subscriptionEnded(Subscription subscription) {
        worker().execute(() -> {
            subscriptions.ended(subscription);
            finishWhenDrained();
        });
    }

    /** Holds a place for this connection; any thread. */
    void expect(Fanout fanout, long timeoutMs) {
        subscriptions.expect(fanout, timeoutMs);
    }

    // On the worker.

    void tick(long elapsedMs) {
        subscriptions.tick(elapsedMs);
        Inputs in = inputs;
        if (in != null) {
            in.tick();
        }
    }

    private void closeOrderly(String reason) {
        if (state == State.CLOSING || state == State.CLOSED) {
            return;
        }
        state = State.CLOSING;
        closeReason = reason;
        subscriptions.onLastOrders();
        worker().schedule(
                        () -> fail(new TransportException(
                                TransportException.Code.TIMEOUT,
                                "closing " + peer() + " took longer than " + settings.closeMs() + " ms")),
                        settings.closeMs());
        finishWhenDrained();
    }

    private void finishWhenDrained() {
        if (state == State.CLOSING && !goodbyeSaid && subscriptions.areSilent()) {
            goodbyeSaid = true;
            controls.goodbye(closeReason);
            sender.finish();
        }
    }

    private void sendingFinished() {
        sendingFinished = true;
        closeWhenBothFinished();
    }

    private void closeWhenBothFinished() {
        if (peerFinished && sendingFinished) {
            shutDown();
        }
    }

    private void shutDown() {
        sender.close();
    }
}
