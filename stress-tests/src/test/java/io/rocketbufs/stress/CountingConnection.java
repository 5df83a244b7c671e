package io.rocketbufs.stress;

import io.rocketbufs.link.Link;
import io.rocketbufs.link.LinkOwner;
import io.rocketbufs.memory.Region;
import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.RemoteBuffer;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.Worker;
import io.rocketbufs.rocketnet.WriteRequest;
import io.rocketbufs.wire.ControlLayout;
import io.rocketbufs.wire.ControlType;
import io.rocketbufs.wire.PositionLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

/**
 * A connection without a peer. It counts the bytes that it accepts, and records the requests to report consumption.
 * While it is full, it accepts nothing. Its worker runs each task on the thread that submits it.
 *
 * <p><b>Thread-safety:</b> see {@link TransportConnection}; any thread may call {@link #full}.
 */
public final class CountingConnection implements TransportConnection, Worker, LinkOwner {
    private static final InetSocketAddress ADDRESS = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
    private static final Capabilities CAPABILITIES = Capabilities.builder()
            .immediateBits(Integer.SIZE)
            .receiverPlaces(true)
            .lengthWithArrival(true)
            .connectionWithArrival(true)
            .vecsPerWrite(4)
            .longestWrite(Integer.MAX_VALUE)
            .longestControl(1024)
            .ordered(true)
            .remoteCpu(true)
            .withdraws(true)
            .operations(Set.of(Capabilities.Operation.WRITE_WITH_IMMEDIATE, Capabilities.Operation.SEND))
            .build();

    private volatile boolean full;
    private long length;
    private volatile long asked = -1;
    private volatile boolean failed;

    /** Opens the sending side and returns the link. */
    public Link open() {
        Link link = new Link(this, this, 64 << 20);
        link.sender().openEmpty();
        return link;
    }

    /** Sets whether the connection is full. */
    public void full(boolean value) {
        full = value;
    }

    /** Returns true while the connection is full. */
    public boolean isFull() {
        return full;
    }

    /** Returns the number of bytes written. */
    public long length() {
        return length;
    }

    /** Returns the highest position for which a report has been requested; -1 if no report has been requested. */
    public long asked() {
        return asked;
    }

    /** Returns true if sending has failed. */
    public boolean hasFailed() {
        return failed;
    }

    @Override
    public PostResult write(WriteRequest request) {
        if (full) {
            return PostResult.NO_WINDOW;
        }
        length += request.vecs().totalLength();
        return PostResult.SENT;
    }

    @Override
    public PostResult send(ByteBuffer message) {
        if (full) {
            return PostResult.NO_WINDOW;
        }
        ControlType type = ControlType.of(ControlLayout.typeCode(message));
        if (type == ControlType.FLUSH || type == ControlType.STARVING) {
            ByteBuffer body = message.duplicate().position(message.position() + ControlLayout.HEADER_LENGTH);
            asked = Math.max(asked, PositionLayout.position(body));
        }
        return PostResult.SENT;
    }

    @Override
    public void fail(TransportException cause) {
        failed = true;
    }

    @Override
    public void disconnect(String reason) {
        failed = true;
    }

    @Override
    public void sendingFinished() {
        // Ignored.
    }

    @Override
    public InetSocketAddress localAddress() {
        return ADDRESS;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return ADDRESS;
    }

    @Override
    public Capabilities capabilities() {
        return CAPABILITIES;
    }

    @Override
    public Worker worker() {
        return this;
    }

    @Override
    public boolean inWorker() {
        return false;
    }

    @Override
    public void execute(Runnable task) {
        task.run();
    }

    @Override
    public Future<?> schedule(Runnable task, long delayMs) {
        return new CompletableFuture<>();
    }

    @Override
    public RemoteAccess grant(Region region, long offset, long granted) {
        return RemoteAccess.NONE;
    }

    @Override
    public void revoke(RemoteAccess access) {
        // Nothing was granted.
    }

    @Override
    public RemoteBuffer remoteBuffer(RemoteAccess access, long capacity) {
        return new RemoteBuffer(access, capacity);
    }

    @Override
    public int progress() {
        return 0;
    }

    @Override
    public int withdraw() {
        return 0;
    }

    @Override
    public void finish() {
        // There is no peer to notify.
    }

    @Override
    public void close() {
        // Nothing is open.
    }
}
