package io.rocketbufs.rocketnet.loopback;

import io.rocketbufs.rocketnet.ReadRequest;
import io.rocketbufs.rocketnet.RemoteBuffer;
import io.rocketbufs.rocketnet.TransportHandler;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A read or an atomic operation in transit.
 *
 * <p><b>Thread-safety:</b> guarded by its {@link LoopbackPipe}.
 */
final class LoopbackFetch {
    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    /** The kind of a fetch. */
    enum Kind {
        READ,
        ADD,
        SWAP
    }

    private final Kind kind;
    private final RemoteBuffer remote;
    private final long remoteOffset;
    private final long context;
    private final int length;
    private ByteBuffer landing;
    private long operand;
    private long expected;
    private long before;

    private LoopbackFetch(Kind kind, RemoteBuffer remote, long remoteOffset, int length, long context) {
        this.kind = kind;
        this.remote = remote;
        this.remoteOffset = remoteOffset;
        this.length = length;
        this.context = context;
    }

    static LoopbackFetch read(ReadRequest request) {
        LoopbackFetch fetch = new LoopbackFetch(
                Kind.READ, request.remote(), request.remoteOffset(), request.length(), request.context());
        fetch.landing = request.region().window(request.offset(), request.length());
        return fetch;
    }

    static LoopbackFetch add(RemoteBuffer remote, long remoteOffset, long addend, long context) {
        LoopbackFetch fetch = new LoopbackFetch(Kind.ADD, remote, remoteOffset, Long.BYTES, context);
        fetch.operand = addend;
        return fetch;
    }

    static LoopbackFetch swap(RemoteBuffer remote, long remoteOffset, long expected, long desired, long context) {
        LoopbackFetch fetch = new LoopbackFetch(Kind.SWAP, remote, remoteOffset, Long.BYTES, context);
        fetch.operand = desired;
        fetch.expected = expected;
        return fetch;
    }

    boolean isRead() {
        return kind == Kind.READ;
    }

    RemoteBuffer remote() {
        return remote;
    }

    long remoteOffset() {
        return remoteOffset;
    }

    int length() {
        return length;
    }

    /**
     * Copies {@code count} bytes at {@code offset} in the peer's memory; the first {@code done} bytes have already
     * arrived.
     */
    void copy(ByteBuffer memory, int offset, int done, int count) {
        landing.put(done, memory, offset, count);
    }

    /** Executes the atomic operation at {@code offset} in the peer's memory. */
    void operate(ByteBuffer memory, int offset) {
        before = kind == Kind.ADD
                ? (long) LONG.getAndAdd(memory, offset, operand)
                : (long) LONG.compareAndExchange(memory, offset, expected, operand);
    }

    void report(TransportHandler handler) {
        if (isRead()) {
            handler.readCompleted(context);
        } else {
            handler.atomicCompleted(context, before);
        }
    }
}
