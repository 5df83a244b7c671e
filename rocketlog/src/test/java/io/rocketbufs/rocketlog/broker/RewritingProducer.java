package io.rocketbufs.rocketlog.broker;

import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.memory.Vecs;
import io.rocketbufs.rocketlog.protocol.BatchFrameLayout;
import io.rocketbufs.rocketlog.protocol.LogGreetingLayout;
import io.rocketbufs.rocketlog.protocol.ProduceMessageLayout;
import io.rocketbufs.rocketlog.protocol.TopicMessageLayout;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.RemoteBuffer;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportHandler;
import io.rocketbufs.rocketnet.TransportProvider;
import io.rocketbufs.rocketnet.WriteRequest;
import io.rocketbufs.wire.ControlMessages;
import io.rocketbufs.wire.ControlType;
import io.rocketbufs.wire.ImmediateLayout;
import io.rocketbufs.wire.SubscribeLayout;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * A producer that uses a transport directly. Unlike a producer that uses core, it can change bytes in its buffer at the
 * broker at any time, if the transport lets it write to the broker's memory.
 */
final class RewritingProducer implements TransportHandler, AutoCloseable {
    private static final int PEER = 3;
    private static final int HEARTBEAT_MS = 60_000;
    private static final int BUFFER = 1;

    private final Transport transport;
    private final TransportConnection connection;
    private final MemoryPool pool = new MemoryPool(1 << 20);
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    /** The received control messages. Guarded by this object's lock. */
    private final List<Message> messages = new ArrayList<>();
    /** True once the connection has ended. Guarded by this object's lock. */
    private boolean isOver;

    private int tag;
    private RemoteBuffer buffer;
    private long position;

    private record Message(ControlType type, ByteBuffer body) {}

    private RewritingProducer(Transport transport, TransportConnection connection) {
        this.transport = transport;
        this.connection = connection;
    }

    /** Connects to a broker as a producer of a topic. */
    static RewritingProducer connect(String name, Config config, InetSocketAddress broker, String topic) {
        Transport transport = ServiceLoader.load(TransportProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(provider -> provider.name().equals(name))
                .findFirst()
                .orElseThrow()
                .open(config);
        CompletableFuture<RewritingProducer> made = new CompletableFuture<>();
        transport
                .connect(broker, connection -> {
                    RewritingProducer producer = new RewritingProducer(transport, connection);
                    made.complete(producer);
                    return producer;
                })
                .orTimeout(60, TimeUnit.SECONDS)
                .join();
        RewritingProducer producer = made.join();
        producer.announce(topic);
        return producer;
    }

    private void announce(String topic) {
        send(ControlMessages.hello(PEER, HEARTBEAT_MS, LogGreetingLayout.write("rewriting")));
        awaitMessages(ControlType.HELLO, 1);
        send(ControlMessages.application(ProduceMessageLayout.produce(1, BUFFER, topic)));
        ByteBuffer subscribe = awaitMessages(ControlType.SUBSCRIBE, 1);
        tag = SubscribeLayout.tag(subscribe);
        buffer = connection.remoteBuffer(
                new RemoteAccess(SubscribeLayout.address(subscribe), SubscribeLayout.key(subscribe)),
                SubscribeLayout.capacity(subscribe));
        send(ControlMessages.subscribed(tag, false, false, RemoteAccess.NONE, 0, 0, 0));
        awaitMessages(ControlType.APPLICATION, 1);
    }

    /** Returns a frame for a partition. */
    static ByteBuffer frame(int partition, ByteBuffer batch) {
        return ByteBuffer.allocate(BatchFrameLayout.BATCH + batch.remaining())
                .putInt(partition)
                .putInt(batch.remaining())
                .put(batch.duplicate())
                .flip();
    }

    /** Delivers a frame, and waits until the broker has processed it. */
    void deliver(ByteBuffer frame) {
        WriteRequest request = request(frame, position);
        position += frame.remaining();
        post(() -> connection.write(request));
        awaitBroker();
    }

    /**
     * Stores bytes at a position in the buffer, without a notification of the broker, and waits until they are there.
     */
    void rewrite(long at, ByteBuffer bytes) {
        WriteRequest request = request(bytes, at);
        post(() -> connection.put(request));
        awaitBroker();
    }

    private WriteRequest request(ByteBuffer bytes, long at) {
        int length = bytes.remaining();
        Region source = pool.allocate(length);
        ByteBuffer window = source.window(0, length).put(0, bytes, bytes.position(), length);
        WriteRequest request = new WriteRequest(connection.capabilities().vecsPerWrite())
                .set(source, buffer, at, ImmediateLayout.data(tag, false));
        request.vecs().add(window, 0, length, source.address());
        return request;
    }

    /** Waits for the response to a message, which the broker receives after all bytes that were written before. */
    private void awaitBroker() {
        int count = count(ControlType.APPLICATION);
        send(ControlMessages.application(TopicMessageLayout.describe(1, "")));
        awaitMessages(ControlType.APPLICATION, count + 1);
    }

    private void send(ByteBuffer message) {
        post(() -> connection.send(message.duplicate()));
    }

    private void post(Supplier<PostResult> operation) {
        await().pollDelay(Duration.ZERO).until(() -> {
            synchronized (this) {
                return isOver || operation.get() != PostResult.NO_WINDOW;
            }
        });
    }

    private synchronized int count(ControlType type) {
        return (int) messages.stream().filter(message -> message.type == type).count();
    }

    /** Waits for a number of messages, and returns the first one. Returns null if the connection has ended. */
    private ByteBuffer awaitMessages(ControlType type, int count) {
        await().pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> isOver() || count(type) >= count);
        synchronized (this) {
            return messages.stream()
                    .filter(message -> message.type == type)
                    .map(Message::body)
                    .findFirst()
                    .orElse(null);
        }
    }

    /** Returns true if the connection has ended. */
    synchronized boolean isOver() {
        return isOver;
    }

    @Override
    public void place(int immediate, int length, Vecs into) {
        throw new AssertionError("the producer has subscribed to nothing");
    }

    @Override
    public void arrived(int immediate, int length) {
        throw new AssertionError("the producer has subscribed to nothing");
    }

    @Override
    public void arrivalsEnd() {
        // No work is deferred.
    }

    @Override
    public synchronized void control(ByteBuffer message) {
        ControlType type = ControlMessages.check(message);
        messages.add(new Message(
                type, ByteBuffer.allocate(message.remaining()).put(message).flip()));
    }

    @Override
    public void completed(int count) {
        writable();
    }

    @Override
    public synchronized void writable() {
        if (!isOver) {
            connection.progress();
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

    private synchronized void end() {
        if (!isOver) {
            isOver = true;
            connection.close();
        }
    }

    @Override
    public void closed() {
        closed.complete(null);
    }

    @Override
    public void close() {
        connection.worker().execute(this::end);
        closed.orTimeout(60, TimeUnit.SECONDS).join();
        transport.close();
        pool.close();
    }
}
