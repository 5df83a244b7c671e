package io.rocketbufs.contract;

import static io.rocketbufs.contract.Stage.eventually;

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
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * One end of a connection that does not use core. Sends from a region, and stores all arriving bytes in it, one after
 * another.
 */
final class BareEnd implements TransportHandler {
    private final TransportConnection connection;
    private final Region region;
    private final ByteBuffer window;
    private final WriteRequest request;
    private final ReadRequest readRequest = new ReadRequest();
    /** The results of completed reads (always 0) and atomic operations, by context. */
    private final Map<Long, Long> fetched = new ConcurrentHashMap<>();

    private final Object sendingSide = new Object();
    private int placed;
    private int arrived;
    private int messages;
    private int posted;
    private int completed;
    private boolean ended;
    private long nextContext;
    private volatile int upcalls;
    private volatile boolean failed;
    private volatile boolean closed;

    BareEnd(TransportConnection connection, Region region) {
        this.connection = connection;
        this.region = region;
        this.window = region.window(0, (int) region.length());
        this.request = new WriteRequest(connection.capabilities().vecsPerWrite());
    }

    TransportConnection connection() {
        return connection;
    }

    Region region() {
        return region;
    }

    ByteBuffer window() {
        return window;
    }

    /** Writes a part of the region after waiting for space. */
    void write(RemoteBuffer remote, long remoteOffset, int offset, int length) {
        post(() -> connection.write(prepared(remote, remoteOffset, offset, length)));
    }

    /** Puts a part of the region after waiting for space. */
    void put(RemoteBuffer remote, long remoteOffset, int offset, int length) {
        post(() -> connection.put(prepared(remote, remoteOffset, offset, length)));
    }

    /** Puts a part of the region. */
    PostResult tryPut(RemoteBuffer remote, long remoteOffset, int offset, int length) {
        synchronized (sendingSide) {
            return ended ? PostResult.CLOSED : connection.put(prepared(remote, remoteOffset, offset, length));
        }
    }

    private WriteRequest prepared(RemoteBuffer remote, long remoteOffset, int offset, int length) {
        request.set(region, remote, remoteOffset, 0);
        request.vecs().add(window, offset, length, region.address() + offset);
        return request;
    }

    void writeWord(RemoteAccess word, long value) {
        post(() -> connection.writeWord(word, value));
    }

    /** Reads into a part of the region after waiting for space. Returns the context. */
    long read(RemoteBuffer remote, long remoteOffset, int offset, int length) {
        return fetch(() -> postRead(remote, remoteOffset, offset, length, nextContext));
    }

    /** Reads into a part of the region. */
    PostResult tryRead(RemoteBuffer remote, long remoteOffset, int offset, int length) {
        synchronized (sendingSide) {
            return ended ? PostResult.CLOSED : postRead(remote, remoteOffset, offset, length, nextContext++);
        }
    }

    private PostResult postRead(RemoteBuffer remote, long remoteOffset, int offset, int length, long context) {
        return remote.isReadable()
                ? own(remote.read(remoteOffset, length, region, offset), context, 0)
                : connection.read(prepared(remote, remoteOffset, offset, length, context));
    }

    /**
     * Completes an operation that this process carries out itself. Such an operation is never refused for lack of
     * space.
     */
    private PostResult own(boolean isDone, long context, long result) {
        if (!isDone) {
            throw new UnsupportedOperationException("this process cannot carry out the operation: context=" + context);
        }
        complete(context, result);
        return PostResult.POSTED;
    }

    private ReadRequest prepared(RemoteBuffer remote, long remoteOffset, int offset, int length, long context) {
        return readRequest.set(region, offset, length, remote, remoteOffset).context(context);
    }

    /** Adds to one of the peer's words after waiting for space. Returns the context. */
    long fetchAdd(RemoteBuffer remote, long remoteOffset, long addend) {
        AtomicLong before = new AtomicLong();
        return fetch(() -> remote.hasWords()
                ? own(remote.fetchAdd(remoteOffset, addend, before::set), nextContext, before.get())
                : connection.fetchAdd(remote, remoteOffset, addend, nextContext));
    }

    /** Compares and swaps one of the peer's words after waiting for space. Returns the context. */
    long compareSwap(RemoteBuffer remote, long remoteOffset, long expected, long desired) {
        AtomicLong before = new AtomicLong();
        return fetch(() -> remote.hasWords()
                ? own(remote.compareSwap(remoteOffset, expected, desired, before::set), nextContext, before.get())
                : connection.compareSwap(remote, remoteOffset, expected, desired, nextContext));
    }

    private long fetch(Supplier<PostResult> operation) {
        AtomicLong context = new AtomicLong();
        post(() -> {
            context.set(nextContext);
            PostResult result = operation.get();
            // Only completions of writes are counted.
            posted -= result == PostResult.POSTED ? 1 : 0;
            nextContext++;
            return result;
        });
        return context.get();
    }

    /** Returns true if a read or an atomic operation has completed. */
    boolean isFetched(long context) {
        return fetched.containsKey(context);
    }

    /** Returns the number of reads and atomic operations that have completed. */
    int fetchedCount() {
        return fetched.size();
    }

    /** Waits for the result of a read or an atomic operation. */
    long result(long context) {
        eventually(() -> isFetched(context), () -> "operation " + context + ", failed=" + failed);
        return fetched.get(context);
    }

    /** Returns the number of calls to the handler. */
    int upcalls() {
        return upcalls;
    }

    /** Sends a control message that contains one byte. */
    void send(byte message) {
        post(() -> connection.send(ByteBuffer.allocate(1).put(0, message)));
    }

    private void post(Supplier<PostResult> operation) {
        eventually(() -> {
            synchronized (sendingSide) {
                PostResult result = ended ? PostResult.CLOSED : operation.get();
                posted += result == PostResult.POSTED ? 1 : 0;
                return result != PostResult.NO_WINDOW;
            }
        });
    }

    /** Returns true if the memory of all posted operations may change. */
    boolean isComplete() {
        synchronized (sendingSide) {
            if (!ended) {
                completed += connection.progress();
            }
            return completed == posted;
        }
    }

    synchronized int arrivedLength() {
        return arrived;
    }

    synchronized int messages() {
        return messages;
    }

    boolean hasFailed() {
        return failed;
    }

    boolean isClosed() {
        return closed;
    }

    void end() {
        connection.worker().execute(() -> {
            synchronized (sendingSide) {
                if (!ended) {
                    ended = true;
                    connection.close();
                }
            }
        });
    }

    @Override
    public void place(int immediate, int length, Vecs into) {
        into.add(window, placed, length, region.address() + placed);
        placed += length;
    }

    @Override
    public synchronized void arrived(int immediate, int length) {
        upcalls++;
        arrived += length;
    }

    @Override
    public void arrivalsEnd() {
        upcalls++;
        // No work is deferred.
    }

    @Override
    public synchronized void control(ByteBuffer message) {
        upcalls++;
        messages++;
    }

    @Override
    public void readCompleted(long context) {
        complete(context, 0);
    }

    @Override
    public void atomicCompleted(long context, long before) {
        complete(context, before);
    }

    private void complete(long context, long result) {
        if (fetched.put(context, result) != null) {
            throw new AssertionError("completed twice: context=" + context);
        }
    }

    @Override
    public void completed(int count) {
        synchronized (sendingSide) {
            completed += count;
        }
        writable();
    }

    @Override
    public void writable() {
        upcalls++;
        synchronized (sendingSide) {
            if (!ended) {
                completed += connection.progress();
            }
        }
    }

    @Override
    public void peerFinished() {
        end();
    }

    @Override
    public void failed(TransportException cause) {
        failed = true;
        end();
    }

    @Override
    public void closed() {
        closed = true;
    }
}
