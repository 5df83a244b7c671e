package io.rocketbufs.rocketnet.loopback;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.memory.Vecs;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.ReadRequest;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.RemoteBuffer;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportHandler;
import io.rocketbufs.rocketnet.WriteRequest;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A minimal user of one connection. It receives into one buffer, writes from another one, and records its events. */
final class LoopbackPeer implements TransportHandler {
    static final int CAPACITY = 1 << 16;

    final Region source;
    final Region sink;
    final ByteBuffer sourceBytes;
    final ByteBuffer sinkBytes;
    private final List<String> events = new ArrayList<>();
    private final Object sendingSide = new Object();
    private final WriteRequest request = new WriteRequest(8);
    private int placedPosition;
    private int placedLess;
    private TransportConnection connection;
    private RemoteAccess access;
    private RemoteBuffer remote;
    private LoopbackPeer peer;
    private Runnable onArrival = () -> {};
    private Runnable onRoom = () -> {};
    private Runnable onClosed = () -> {};

    LoopbackPeer(MemoryPool pool) {
        source = pool.allocate(CAPACITY);
        sink = pool.allocate(CAPACITY);
        sourceBytes = source.window(0, CAPACITY);
        sinkBytes = sink.window(0, CAPACITY);
        for (int i = 0; i < CAPACITY; i++) {
            sourceBytes.put(i, byteAt(i));
        }
    }

    /**
     * Returns the byte that every source contains at an offset. The byte is never 0, so it differs from a sink's
     * initial content.
     */
    static byte byteAt(int offset) {
        return (byte) (1 + offset * 31 % 255);
    }

    TransportHandler established(TransportConnection established) {
        connection = established;
        access = established.grant(sink, 0, CAPACITY);
        return this;
    }

    TransportConnection connection() {
        return connection;
    }

    RemoteAccess access() {
        return access;
    }

    void writeTo(LoopbackPeer other) {
        peer = other;
        remote = connection.remoteBuffer(peer.access, CAPACITY);
    }

    LoopbackPeer peer() {
        return peer;
    }

    void onArrival(Runnable action) {
        onArrival = action;
    }

    void placeLess(int count) {
        placedLess = count;
    }

    /** Sets the action to run when writing may be possible again. */
    void onRoom(Runnable action) {
        onRoom = action;
    }

    void onClosed(Runnable action) {
        onClosed = action;
    }

    PostResult write(int immediate, int offset, int length) {
        return write(request(immediate, offset, length));
    }

    PostResult write(WriteRequest prepared) {
        synchronized (sendingSide) {
            return connection.write(prepared);
        }
    }

    /** Puts source bytes to the same offset of the peer's sink. */
    PostResult put(int offset, int length) {
        synchronized (sendingSide) {
            return connection.put(request(0, offset, length));
        }
    }

    /** Returns a request that writes source bytes to the same offset of the peer's sink. */
    WriteRequest request(int immediate, int offset, int length) {
        request.set(source, remote, offset, immediate);
        request.vecs().add(sourceBytes, offset, length, source.address() + offset);
        return request;
    }

    int progress() {
        synchronized (sendingSide) {
            return connection.progress();
        }
    }

    PostResult send(String message) {
        synchronized (sendingSide) {
            return connection.send(ByteBuffer.wrap(message.getBytes(StandardCharsets.UTF_8)));
        }
    }

    PostResult writeWord(RemoteAccess word, long value) {
        synchronized (sendingSide) {
            return connection.writeWord(word, value);
        }
    }

    /** Reads into the same offset of the sink. */
    PostResult read(RemoteBuffer from, int offset, int length, long context) {
        ReadRequest read = new ReadRequest().set(sink, offset, length, from, offset);
        synchronized (sendingSide) {
            return connection.read(read.context(context));
        }
    }

    PostResult fetchAdd(RemoteBuffer word, long addend, long context) {
        synchronized (sendingSide) {
            return connection.fetchAdd(word, 0, addend, context);
        }
    }

    /** Closes the connection on its worker. */
    void close() {
        onWorker(() -> {
            synchronized (sendingSide) {
                connection.close();
            }
        });
    }

    /** Runs a task on the worker and waits until it has finished. */
    void onWorker(Runnable task) {
        CompletableFuture.runAsync(task, connection.worker()).join();
    }

    synchronized List<String> events() {
        return List.copyOf(events);
    }

    synchronized String lastEvent() {
        return events.get(events.size() - 1);
    }

    /**
     * Returns the arrivals of writes and control messages. Omits other events, which depend on how arrivals and
     * completions are batched.
     */
    List<String> arrivals() {
        return events().stream()
                .filter(event -> event.startsWith("arrived") || event.startsWith("control"))
                .toList();
    }

    /** Returns the number of posted writes that {@code completed} has reported. */
    int completions() {
        return events().stream()
                .filter(event -> event.startsWith("completed"))
                .mapToInt(event -> Integer.parseInt(event.substring("completed ".length())))
                .sum();
    }

    /** Returns the number of leading bytes of the sink that equal the source's bytes. */
    int received() {
        int count = 0;
        while (count < CAPACITY && sinkBytes.get(count) == byteAt(count)) {
            count++;
        }
        return count;
    }

    private synchronized void record(String event) {
        events.add(event);
    }

    @Override
    public void place(int immediate, int length, Vecs into) {
        record("place " + immediate + " " + length);
        into.add(sinkBytes, placedPosition, length - placedLess, sink.address() + placedPosition);
        placedPosition += length;
    }

    @Override
    public void arrived(int immediate, int length) {
        record("arrived " + immediate + " " + length);
        onArrival.run();
    }

    @Override
    public void arrivalsEnd() {
        record("arrivalsEnd");
    }

    @Override
    public void control(ByteBuffer message) {
        record("control " + StandardCharsets.UTF_8.decode(message));
        onArrival.run();
    }

    @Override
    public void completed(int count) {
        record("completed " + count);
        onRoom.run();
    }

    @Override
    public void readCompleted(long context) {
        record("read " + context);
    }

    @Override
    public void atomicCompleted(long context, long before) {
        record("atomic " + context + " " + before);
    }

    @Override
    public void writable() {
        record("writable");
        onRoom.run();
    }

    @Override
    public void peerFinished() {
        record("peerFinished");
    }

    @Override
    public void failed(TransportException cause) {
        record("failed " + cause.code());
        synchronized (sendingSide) {
            connection.close();
        }
    }

    @Override
    public void closed() {
        record("closed");
        onClosed.run();
    }
}
