package io.rocketbufs.contract;

import static io.rocketbufs.contract.Stage.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.memory.Vecs;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.RemoteBuffer;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportHandler;
import io.rocketbufs.rocketnet.WriteRequest;
import io.rocketbufs.wire.ControlLayout;
import io.rocketbufs.wire.ControlMessages;
import io.rocketbufs.wire.ControlType;
import io.rocketbufs.wire.HelloLayout;
import io.rocketbufs.wire.ImmediateLayout;
import io.rocketbufs.wire.PositionLayout;
import io.rocketbufs.wire.SubscribeLayout;
import io.rocketbufs.wire.SubscribedLayout;
import io.rocketbufs.wire.TextLayout;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** A peer that sends protocol messages directly over the transport, and can therefore violate the protocol. */
final class RawPeer implements TransportHandler, AutoCloseable {
    private static final int CAPACITY = 1 << 16;

    private final TransportConnection connection;
    private final MemoryPool pool = new MemoryPool(1 << 20);
    private final Region source = pool.allocate(CAPACITY);
    private final Region sink = pool.allocate(CAPACITY);
    private final ByteBuffer sourceWindow = source.window(0, CAPACITY);
    private final ByteBuffer sinkWindow = sink.window(0, CAPACITY);
    private final RemoteAccess access;
    private final Object sendingSide = new Object();
    private final List<Message> messages = new ArrayList<>();
    private final Map<Integer, Long> sent = new HashMap<>();
    private final CountDownLatch stoppedReading = new CountDownLatch(1);
    private final CountDownLatch reading = new CountDownLatch(1);
    private volatile boolean stopped;
    private volatile Subscribed accepted;
    private long arrivedLength;
    private boolean over;

    /** A received control message. */
    record Message(ControlType type, ByteBuffer body) {}

    /** A subscription of the other side to this peer's data. */
    record Subscribed(int tag, RemoteBuffer remote) {}

    private RawPeer(TransportConnection connection) {
        this.connection = connection;
        this.access = connection.grant(sink, 0, CAPACITY);
    }

    static RawPeer connect(Transport transport, InetSocketAddress address) {
        CompletableFuture<RawPeer> made = new CompletableFuture<>();
        Stage.get(transport.connect(address, connection -> {
            RawPeer peer = new RawPeer(connection);
            made.complete(peer);
            return peer;
        }));
        return made.join();
    }

    // Sending.

    /** Sends a correct HELLO. */
    RawPeer hello(int role) {
        return send(ControlType.HELLO, body -> HelloLayout.put(body, role, 1000, new byte[0]));
    }

    /**
     * Sends a correct HELLO that announces the shortest interval. The peer then sends nothing on its own, and counts as
     * silent from its greeting on.
     */
    RawPeer helloAndSilence(int role) {
        return send(ControlType.HELLO, body -> HelloLayout.put(body, role, 1, new byte[0]));
    }

    /** Sends a message with a correct header. */
    RawPeer send(ControlType type, Consumer<ByteBuffer> body) {
        ByteBuffer message = ControlLayout.begin(ByteBuffer.allocate(1024), type, 0);
        body.accept(message);
        return send(ControlLayout.end(message));
    }

    /** Sends a message that consists of a tag and a position. */
    RawPeer send(ControlType type, int tag, long position) {
        return send(type, body -> PositionLayout.put(body, tag, position));
    }

    /** Subscribes to a buffer. */
    RawPeer subscribe(int bufferId, int tag, long capacity) {
        return send(ControlType.SUBSCRIBE, body -> putSubscription(body, bufferId, tag, capacity));
    }

    private void putSubscription(ByteBuffer body, int bufferId, int tag, long capacity) {
        SubscribeLayout.putIds(body, bufferId, tag);
        SubscribeLayout.putLimits(body, capacity, 1000, 0, 0);
        SubscribeLayout.putAccess(body, access.address(), access.key());
        SubscribeLayout.putStart(body, -1, 0);
        SubscribeLayout.putIdentity(body, 0);
    }

    /** Returns the word that was lent to this peer's first subscription. */
    RemoteAccess word() {
        ByteBuffer body = await(ControlType.SUBSCRIBED).body();
        return new RemoteAccess(SubscribedLayout.address(body), SubscribedLayout.key(body));
    }

    /**
     * Claims consumption without a request: writes the position to the lent word or, if there is none, sends it in a
     * message.
     */
    RawPeer claim(int tag, long position) {
        if (word().equals(RemoteAccess.NONE)) {
            return send(ControlType.CREDIT, tag, position);
        }
        post(() -> connection.writeWord(word(), position));
        return this;
    }

    /** Sends a message without checking it. */
    RawPeer send(ByteBuffer message) {
        post(() -> connection.send(message.duplicate()));
        return this;
    }

    /**
     * Subscribes to a buffer if the transport currently accepts a message. Returns true if it has accepted the message.
     */
    boolean trySubscribe(int bufferId, int tag, long capacity) {
        ByteBuffer message = ControlLayout.begin(ByteBuffer.allocate(1024), ControlType.SUBSCRIBE, 0);
        putSubscription(message, bufferId, tag, capacity);
        synchronized (sendingSide) {
            return !isOver() && connection.send(ControlLayout.end(message)) == PostResult.SENT;
        }
    }

    /** Accepts the other side's next subscription. */
    Subscribed accept() {
        return accept(RemoteAccess.NONE);
    }

    /** Accepts the other side's next subscription, and lends it a word. */
    Subscribed accept(RemoteAccess word) {
        ByteBuffer body = await(ControlType.SUBSCRIBE).body();
        RemoteAccess granted = new RemoteAccess(SubscribeLayout.address(body), SubscribeLayout.key(body));
        int tag = SubscribeLayout.tag(body);
        subscribed(tag, word);
        accepted = new Subscribed(tag, connection.remoteBuffer(granted, SubscribeLayout.capacity(body)));
        return accepted;
    }

    /** Accepts the subscription with the given tag, and lends it a word. */
    RawPeer subscribed(int tag, RemoteAccess word) {
        return send(ControlType.SUBSCRIBED, body -> {
            SubscribedLayout.putKind(body, tag, false, false);
            SubscribedLayout.putWord(body, word.address(), word.key());
            SubscribedLayout.putPositions(body, 0, 0);
        });
    }

    /** Returns the last subscription accepted by {@link #accept}. */
    Subscribed accepted() {
        return accepted;
    }

    /** Sends a delivery of the bytes of pattern 0, in as many writes as necessary. */
    void deliver(Subscribed to, int length) {
        long end = sent(to) + length;
        while (sent(to) < end) {
            long offset = sent(to) % to.remote().capacity();
            int count = (int) Math.min(end - sent(to), to.remote().capacity() - offset);
            for (int i = 0; i < count; i++) {
                sourceWindow.put(i, new Pattern(0).at(sent(to) + i));
            }
            write(to.remote(), offset, ImmediateLayout.data(to.tag(), sent(to) + count < end), count);
            sent.merge(to.tag(), (long) count, Long::sum);
        }
    }

    /** Writes bytes without checking credit or bounds. */
    void write(RemoteBuffer remote, long offset, int immediate, int length) {
        WriteRequest request = new WriteRequest(connection.capabilities().vecsPerWrite());
        post(() -> {
            request.set(source, remote, offset, immediate);
            if (length > 0) {
                request.vecs().add(sourceWindow, 0, length, source.address());
            }
            return connection.write(request);
        });
    }

    private void post(Supplier<PostResult> operation) {
        eventually(() -> {
            synchronized (sendingSide) {
                return isOver() || operation.get() != PostResult.NO_WINDOW;
            }
        });
    }

    TransportConnection connection() {
        return connection;
    }

    /** Returns the number of bytes delivered to a subscription. */
    long sent(Subscribed to) {
        return sent.getOrDefault(to.tag(), 0L);
    }

    /** Stops reading after the next control message, which may be a ping, until {@link #close} is called. */
    void stopReading() {
        stopped = true;
    }

    /** Waits until this peer has stopped reading. */
    void awaitStopped() {
        eventually(() -> stoppedReading.getCount() == 0, () -> "a control message after which this peer stops reading");
    }

    // Receiving.

    /** Returns the newest consumed position that the other side has reported. */
    synchronized long credit(Subscribed of) {
        return messages.stream()
                .filter(message ->
                        message.type() == ControlType.CREDIT && PositionLayout.tag(message.body()) == of.tag())
                .mapToLong(message -> PositionLayout.position(message.body()))
                .max()
                .orElse(0);
    }

    /** Returns the number of messages of the given type that have arrived. */
    synchronized long count(ControlType type) {
        return messages.stream().filter(message -> message.type() == type).count();
    }

    /** Waits for the first message of the given type. */
    Message await(ControlType type) {
        eventually(() -> count(type) > 0, () -> "a message " + type);
        synchronized (this) {
            return messages.stream()
                    .filter(message -> message.type() == type)
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** Returns the total length of the writes that have arrived, in bytes. */
    synchronized long arrivedLength() {
        return arrivedLength;
    }

    /** Returns true if the other side has ended the connection. */
    synchronized boolean isOver() {
        return over;
    }

    void awaitOver() {
        eventually(this::isOver, () -> "the end of the connection");
    }

    @Override
    public void place(int immediate, int length, Vecs into) {
        assertThat(length).isLessThanOrEqualTo(CAPACITY);
        into.add(sinkWindow, 0, length, sink.address());
    }

    @Override
    public synchronized void arrived(int immediate, int length) {
        arrivedLength += length;
    }

    @Override
    public void arrivalsEnd() {
        // No work is deferred.
    }

    @Override
    public void control(ByteBuffer message) {
        ControlType type = ControlMessages.check(message);
        ByteBuffer body = ByteBuffer.allocate(message.remaining());
        synchronized (this) {
            messages.add(new Message(type, body.put(message).flip()));
        }
        if (stopped) {
            awaitClose();
        }
    }

    private void awaitClose() {
        stoppedReading.countDown();
        try {
            reading.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void completed(int count) {
        writable();
    }

    @Override
    public void writable() {
        synchronized (sendingSide) {
            if (!isOver()) {
                connection.progress();
            }
        }
    }

    @Override
    public void peerFinished() {
        end();
    }

    @Override
    public void failed(TransportException cause) {
        end();
    }

    private void end() {
        synchronized (sendingSide) {
            synchronized (this) {
                if (over) {
                    return;
                }
                over = true;
            }
            connection.close();
        }
    }

    @Override
    public void closed() {
        synchronized (this) {
            over = true;
        }
        pool.close();
    }

    /** Closes the connection abruptly. */
    @Override
    public void close() {
        reading.countDown();
        connection.worker().execute(this::end);
    }

    /** Returns the reason in the other side's GOODBYE, or an empty string if there was none. */
    synchronized String goodbye() {
        return messages.stream()
                .filter(message -> message.type() == ControlType.GOODBYE)
                .map(message -> TextLayout.text(message.body()))
                .findFirst()
                .orElse("");
    }
}
