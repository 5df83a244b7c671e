package io.rocketbufs.rocketnet.loopback;

import io.rocketbufs.memory.Region;
import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.Capabilities.Operation;
import io.rocketbufs.rocketnet.LentWord;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.ReadRequest;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.RemoteBuffer;
import io.rocketbufs.rocketnet.Right;
import io.rocketbufs.rocketnet.TransportAcceptor;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportException.Code;
import io.rocketbufs.rocketnet.TransportHandler;
import io.rocketbufs.rocketnet.Worker;
import io.rocketbufs.rocketnet.WriteRequest;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * One side of a {@link LoopbackLink}. Checks that its user follows the rules of {@link TransportConnection}.
 *
 * <p><b>Thread-safety:</b> as specified by the interface. A thread that violates the specification receives an
 * {@link AssertionError}.
 */
public final class LoopbackConnection implements TransportConnection {
    private final LoopbackLink link;
    private final LoopbackNetwork network;
    private final LoopbackTransport transport;
    private final LoopbackWorker worker;
    private final InetSocketAddress localAddress;
    private final InetSocketAddress remoteAddress;
    private final LoopbackGrants grants = new LoopbackGrants();
    private final LoopbackWords words = new LoopbackWords(this);
    private final CompletableFuture<TransportConnection> established = new CompletableFuture<>();
    private final AtomicReference<Thread> sending = new AtomicReference<>();
    private final AtomicReference<TransportException> failure = new AtomicReference<>();
    private LoopbackPipe outbound;
    private LoopbackPipe inbound;
    private volatile LoopbackHandler handler;
    private volatile boolean closed;
    /** True after {@link #finish}. Guarded by the sending side. */
    private boolean finished;
    /** True if an arrival has been reported since the last {@code arrivalsEnd}; worker only. */
    private boolean arrivals;

    LoopbackConnection(
            LoopbackLink link, LoopbackTransport transport, InetSocketAddress local, InetSocketAddress remote) {
        this.link = link;
        this.transport = transport;
        network = transport.network();
        worker = transport.nextWorker();
        localAddress = local;
        remoteAddress = remote;
    }

    void connect(LoopbackPipe outbound, LoopbackPipe inbound) {
        this.outbound = outbound;
        this.inbound = inbound;
    }

    /** Creates the user's handler. Worker only. */
    void establish(TransportAcceptor acceptor) {
        try {
            handler = new LoopbackHandler(this, network, acceptor.established(this));
        } catch (RuntimeException e) {
            established.completeExceptionally(new TransportException(Code.CLOSED, "not accepted: " + this, e));
            abort();
            return;
        }
        if (failure.get() != null) {
            handler.failed(failure.get());
        }
        inbound.kick();
        established.complete(this);
    }

    CompletableFuture<TransportConnection> whenEstablished() {
        return established;
    }

    boolean established() {
        return handler != null;
    }

    boolean isClosed() {
        return closed;
    }

    LoopbackGrants grants() {
        return grants;
    }

    LoopbackWords words() {
        return words;
    }

    boolean transportIsClosed() {
        return transport.isClosed();
    }

    void violation(String message) {
        network.violation(message);
    }

    /** Returns the link of this connection. */
    public LoopbackLink link() {
        return link;
    }

    /** Calls the handler if the connection has one. */
    void tell(Consumer<TransportHandler> upcall) {
        if (handler != null) {
            upcall.accept(handler);
        }
    }

    /** Reports a frame that has arrived. Worker only. */
    void arrive(LoopbackFrame frame) {
        switch (frame.kind()) {
            case WRITE -> tell(to -> to.arrived(frame.immediate(), frame.length()));
            case CONTROL -> tell(to -> to.control(frame.message()));
            default -> {
                arrivalsEnd();
                tell(TransportHandler::peerFinished);
            }
        }
        arrivals = frame.kind() != LoopbackFrame.Kind.FINISH;
    }

    /** Reports the end of a batch of arrivals. Worker only. */
    void arrivalsEnd() {
        if (arrivals) {
            arrivals = false;
            tell(TransportHandler::arrivalsEnd);
        }
    }

    void fail(TransportException cause) {
        if (breaks(cause)) {
            tellFailure();
        }
    }

    /**
     * Marks this connection as broken. Afterwards, it rejects all operations and reports only the failure. Returns
     * false if the connection is already broken.
     */
    boolean breaks(TransportException cause) {
        boolean first = failure.compareAndSet(null, cause);
        inbound.stop();
        return first;
    }

    void tellFailure() {
        worker.execute(() -> tell(to -> to.failed(failure.get())));
    }

    @Override
    public InetSocketAddress localAddress() {
        return localAddress;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remoteAddress;
    }

    @Override
    public Capabilities capabilities() {
        return transport.capabilities();
    }

    @Override
    public Worker worker() {
        return worker;
    }

    LoopbackWorker loopbackWorker() {
        return worker;
    }

    @Override
    public RemoteAccess grant(Region region, long offset, long length) {
        return capabilities().receiverPlaces()
                ? RemoteAccess.NONE
                : grants.grant(region, offset, length, Right.ONLY_WRITE, network.nextKey());
    }

    @Override
    public RemoteAccess grant(Region region, long offset, long length, Set<Right> rights) {
        return rights.stream().allMatch(capabilities()::offers)
                        && !capabilities().receiverPlaces()
                ? grants.grant(region, offset, length, rights, network.nextKey())
                : TransportConnection.super.grant(region, offset, length, rights);
    }

    @Override
    public void revoke(RemoteAccess access) {
        if (!capabilities().receiverPlaces() && !grants.revoke(access)) {
            network.violation("revoked an access that was not granted here, or was already revoked: " + access);
        }
    }

    @Override
    public RemoteBuffer remoteBuffer(RemoteAccess access, long capacity) {
        return new LoopbackRemoteBuffer(this, access, capacity);
    }

    @Override
    public PostResult write(WriteRequest request) {
        return sending("write", () -> {
            String mistake = LoopbackRules.mistakeIn(request, this);
            if (mistake != null) {
                network.violation(mistake);
            }
            return postable() ? outbound.post(() -> outbound.write(request)) : PostResult.CLOSED;
        });
    }

    @Override
    public PostResult put(WriteRequest request) {
        if (!capabilities().operations().contains(Capabilities.Operation.PUT)) {
            return TransportConnection.super.put(request);
        }
        LoopbackOneSidedPipe pipe = (LoopbackOneSidedPipe) outbound;
        return sending("put", () -> {
            String mistake = LoopbackRules.mistakeIn(request, this);
            if (mistake != null) {
                network.violation(mistake);
            }
            return postable() ? pipe.post(() -> pipe.put(request)) : PostResult.CLOSED;
        });
    }

    @Override
    public PostResult read(ReadRequest request) {
        if (!capabilities().offers(Operation.READ)) {
            return TransportConnection.super.read(request);
        }
        request.check(capabilities().longestRead());
        return fetch("read", LoopbackFetch.read(request));
    }

    @Override
    public PostResult fetchAdd(RemoteBuffer remote, long remoteOffset, long addend, long context) {
        if (!capabilities().offers(Operation.FETCH_ADD)) {
            return TransportConnection.super.fetchAdd(remote, remoteOffset, addend, context);
        }
        remote.checkWord(remoteOffset);
        return fetch("fetchAdd", LoopbackFetch.add(remote, remoteOffset, addend, context));
    }

    @Override
    public PostResult compareSwap(RemoteBuffer remote, long remoteOffset, long expected, long desired, long context) {
        if (!capabilities().offers(Operation.COMPARE_SWAP)) {
            return TransportConnection.super.compareSwap(remote, remoteOffset, expected, desired, context);
        }
        remote.checkWord(remoteOffset);
        return fetch("compareSwap", LoopbackFetch.swap(remote, remoteOffset, expected, desired, context));
    }

    private PostResult fetch(String operation, LoopbackFetch fetch) {
        LoopbackOneSidedPipe pipe = (LoopbackOneSidedPipe) outbound;
        return sending(operation, () -> {
            String mistake = LoopbackRules.mistakeIn(fetch.remote(), this);
            if (mistake != null) {
                network.violation(mistake);
            }
            return postable() ? pipe.post(() -> pipe.fetch(fetch)) : PostResult.CLOSED;
        });
    }

    @Override
    public PostResult send(ByteBuffer message) {
        return sending("send", () -> {
            if (message.remaining() > capabilities().longestControl()) {
                network.violation("a control message of length " + message.remaining() + " exceeds longestControl="
                        + capabilities().longestControl());
            }
            return postable() ? outbound.post(() -> outbound.send(message)) : PostResult.CLOSED;
        });
    }

    @Override
    public LentWord lendWord() {
        return hasWords() ? words.lend(network.nextKey()) : TransportConnection.super.lendWord();
    }

    @Override
    public PostResult writeWord(RemoteAccess word, long value) {
        if (!hasWords()) {
            return TransportConnection.super.writeWord(word, value);
        }
        LoopbackOneSidedPipe pipe = (LoopbackOneSidedPipe) outbound;
        return sending(
                "writeWord", () -> postable() ? pipe.post(() -> pipe.writeWord(word, value)) : PostResult.CLOSED);
    }

    private boolean hasWords() {
        return capabilities().operations().contains(Capabilities.Operation.WRITE_WORD);
    }

    private boolean postable() {
        if (finished) {
            network.violation("an operation was posted after finish()");
        }
        return failure.get() == null && !(link.peerOf(this).isClosed() && link.reset(this));
    }

    @Override
    public int progress() {
        return sending("progress", () -> failure.get() == null ? outbound.progress() : 0);
    }

    @Override
    public int withdraw() {
        return sending("withdraw", () -> outbound.withdraw());
    }

    @Override
    public void finish() {
        sending("finish", () -> {
            if (finished) {
                network.violation("finish() was called twice");
            }
            finished = true;
            outbound.finish();
            return null;
        });
    }

    private <T> T sending(String operation, Supplier<T> call) {
        Thread other = sending.compareAndExchange(null, Thread.currentThread());
        if (other != null) {
            network.violation(operation + "() by " + Thread.currentThread().getName()
                    + " while the sending side is used by " + other.getName());
        }
        try {
            if (closed && !transport.isClosed()) {
                network.violation(operation + "() after close()");
            }
            return call.get();
        } finally {
            sending.set(null);
        }
    }

    @Override
    public void close() {
        if (transport.isClosed()) {
            return;
        }
        if (!worker.inWorker()) {
            network.violation("close() was called on " + Thread.currentThread().getName() + ", not on " + worker);
        }
        if (closed) {
            network.violation("close() was called twice");
        }
        if (sending.get() != null) {
            network.violation(
                    "close() while the sending side is used by " + sending.get().getName());
        }
        closed = true;
        link.closed(this, false);
        transport.remove(this);
        if (capabilities().receiverPlaces()) {
            tell(TransportHandler::closed);
        } else {
            worker.execute(() -> tell(TransportHandler::closed));
        }
    }

    /** Closes the connection on the worker without a request from the user, because the transport is closing. */
    void abort() {
        if (!closed) {
            closed = true;
            link.closed(this, true);
            transport.remove(this);
        }
        tell(TransportHandler::closed);
        established.completeExceptionally(new TransportException(Code.CLOSED, "closed: peer=" + remoteAddress));
    }

    @Override
    public String toString() {
        return transport.name() + " " + localAddress + " -> " + remoteAddress;
    }
}
