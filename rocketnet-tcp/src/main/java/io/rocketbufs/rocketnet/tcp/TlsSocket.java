package io.rocketbufs.rocketnet.tcp;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.memory.Vecs;
import io.rocketbufs.rocketnet.TransportException.Code;
import io.rocketbufs.text.Reason;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.cert.X509Certificate;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A socket that encrypts the data it writes to an underlying socket, and decrypts the data it reads from that socket.
 *
 * <p>The handshake starts when the connection is established. Its steps compute signatures and check certificates,
 * which takes milliseconds. They run on separate threads, because a peer must not delay the worker's other connections.
 * Between two steps, the worker transfers the records. Until the handshake is complete, no data can be read, and no
 * space is available for writing. The next read reports a failure of the handshake.
 *
 * <p>A write encrypts data only when all earlier records have been written, so at most {@link #OUT_LENGTH} bytes wait
 * in this socket. Encrypted data cannot be withdrawn. Therefore, while records wait, a write reports all their data
 * except the last byte as written. The missing byte makes the caller continue the write; it is reported once the
 * records have been written.
 *
 * <p>The layout of the memory:
 *
 * <pre>
 *  0         records that have been read
 *  IN_LENGTH records to be written
 *  PLAIN     plain text of one record, and the header of a frame
 * </pre>
 *
 * <p><b>Thread-safety:</b> see {@link TcpSocket}. {@link #step} belongs to the thread that runs the handshake.
 * <b>Ownership:</b> owns the underlying socket, its engine and its memory.
 */
final class TlsSocket implements TcpSocket, TcpReadiness {
    private static final int RECORDS = 4;
    private static final int IN_LENGTH = RECORDS * TlsEngine.RECORD_LENGTH;
    private static final int OUT_LENGTH = RECORDS * TlsEngine.RECORD_LENGTH;
    private static final int PLAIN = IN_LENGTH + OUT_LENGTH;
    private static final int MEMORY_LENGTH = PLAIN + TlsPlainText.MEMORY_LENGTH;

    /**
     * The use of the engine and the memory by the handshake thread.
     *
     * <pre>
     *   NONE ---the worker begins a step---&gt; RUNNING ---the step ends---&gt; ENDED
     *    ^                                                                  |
     *    +-----------------the worker takes the result----------------------+
     * </pre>
     *
     * The worker may serve the socket between the end of a step and the task that takes the step's result. During that
     * time, it must not begin the next step.
     */
    private enum Step {
        /** The handshake thread does not use the engine or the memory. */
        NONE,
        /** The handshake thread uses the engine and the memory. */
        RUNNING,
        /** The step has ended, but the worker has not taken its result yet. */
        ENDED,
        /** The socket is closed. If the handshake thread still uses the engine and the memory, it releases them. */
        CLOSED
    }

    private final TcpSocket socket;
    private final TlsContexts contexts;
    private final String host;
    private final MemoryPool memory;
    private final Executor handshakes;
    private final AtomicReference<Step> step = new AtomicReference<>(Step.NONE);

    private TcpWorker worker;
    private TcpReadiness readiness;
    private TlsEngine engine;
    private Region region;

    private ByteBuffer in;
    private long inAddress;
    private int inPosition;
    private int inLimit;
    private boolean endIsNear;
    private boolean ended;

    private ByteBuffer out;
    private long outAddress;
    private int outLength;
    private TlsPlainText plainText;
    /** 1 if the last byte of the waiting records' data has not been reported as written; otherwise 0. */
    private int heldBack;

    /** True until the peer's first record has arrived. */
    private boolean isFirst = true;

    private boolean complete;
    private TlsFailure failure;

    /** Only the worker changes the state; the sending side reads it. */
    private volatile TlsState state = TlsState.CONNECTING;

    /** True while the end of the stream waits for space. The sending side sets it, and the worker clears it. */
    private volatile boolean endWaits;

    /**
     * Creates a socket that owns the underlying socket.
     *
     * @param host the name or numeric address for which the server's certificate must be valid; null on the server
     * @param memory provides the memory for records
     * @param handshakes runs the steps of handshakes
     */
    TlsSocket(TcpSocket socket, TlsContexts contexts, String host, MemoryPool memory, Executor handshakes) {
        this.socket = socket;
        this.contexts = contexts;
        this.host = host;
        this.memory = memory;
        this.handshakes = handshakes;
    }

    @Override
    public boolean connect(InetSocketAddress address) throws IOException {
        return socket.connect(address);
    }

    @Override
    public void register(TcpWorker worker) throws IOException {
        this.worker = worker;
        socket.register(worker);
    }

    @Override
    public void connecting(TcpReadiness readiness) {
        socket.connecting(readiness);
    }

    @Override
    public boolean finishConnect() throws IOException {
        return socket.finishConnect();
    }

    @Override
    public void established(TcpReadiness readiness, ByteBuffer scratch, long address) {
        this.readiness = readiness;
        region = memory.allocate(MEMORY_LENGTH);
        ByteBuffer window = region.window(0, MEMORY_LENGTH);
        in = window.slice(0, IN_LENGTH);
        inAddress = region.address();
        out = window.slice(IN_LENGTH, OUT_LENGTH);
        outAddress = region.address() + IN_LENGTH;
        plainText = new TlsPlainText(window.slice(PLAIN, TlsPlainText.MEMORY_LENGTH), region.address() + PLAIN);
        engine = contexts.newEngine(host);
        if (engine == null) {
            throw new IllegalStateException("the transport is closed");
        }
        state = TlsState.HANDSHAKING;
        socket.established(this, scratch, address);
        if (host != null) {
            beginStep();
        }
    }

    // The handshake.

    private void beginStep() {
        step.set(Step.RUNNING);
        socket.reportReadable(false);
        try {
            handshakes.execute(this::step);
        } catch (RejectedExecutionException e) {
            step.set(Step.NONE); // the transport is being closed
        }
    }

    /** Runs one step of the handshake, on the handshake thread. */
    private void step() {
        try {
            complete = engine.handshake(inAddress + inPosition, inLimit - inPosition, outAddress, OUT_LENGTH);
        } catch (TlsFailure e) {
            failure = failure == null ? e : failure; // the first bytes are more informative than BoringSSL's error
        } catch (RuntimeException | Error e) {
            failure = new TlsFailure(Code.IO, "the TLS handshake failed: " + e);
        }
        inPosition += engine.consumed();
        outLength = engine.produced();
        if (step.compareAndSet(Step.RUNNING, Step.ENDED)) {
            worker.execute(this::stepEnded);
        } else {
            release();
        }
    }

    private void stepEnded() {
        if (!step.compareAndSet(Step.ENDED, Step.NONE)) {
            return; // the socket is closed
        }
        socket.reportReadable(true);
        try {
            if (outLength > 0) {
                socket.gather(out, 0, outLength, outAddress);
            }
            proceed();
        } catch (IOException e) {
            fail(e);
        }
    }

    /** Writes the records of the last step, and begins the next step if records from the peer have arrived. */
    private void proceed() throws IOException {
        if (!flush()) {
            socket.awaitWritable();
            return;
        }
        socket.allWritten();
        if (failure != null) {
            fail(failure);
        } else if (complete) {
            open();
        } else if (inPosition < inLimit || readHandshake()) {
            beginStep();
        }
    }

    /** Reads the peer's handshake records. Returns false if none have arrived. */
    private boolean readHandshake() throws IOException {
        int read = socket.read(in, 0, IN_LENGTH, inAddress);
        if (read < 0) {
            throw new TlsFailure(
                    Code.PEER_LOST,
                    "the peer closed the connection during the TLS handshake"
                            + (isFirst ? "; it may not use TLS on this port" : ""));
        }
        inPosition = 0;
        inLimit = read;
        if (isFirst && read > 0) {
            isFirst = false;
            failure = TlsOtherProtocol.of(in, read);
        }
        return read > 0;
    }

    private void open() {
        state = TlsState.OPEN;
        readiness.readable(endIsNear);
        readiness.writable();
    }

    private void fail(IOException cause) {
        failure = cause instanceof TlsFailure known ? known : new TlsFailure(Code.PEER_LOST, Reason.of(cause));
        state = TlsState.FAILED;
        readiness.readable(true);
    }

    // Notifications from the underlying socket, on the worker.

    @Override
    public void readable(boolean isEnd) {
        endIsNear |= isEnd;
        if (state == TlsState.HANDSHAKING) {
            continueHandshake();
        } else {
            readiness.readable(isEnd);
        }
    }

    @Override
    public void writable() {
        if (state == TlsState.HANDSHAKING) {
            continueHandshake();
        } else if (endWaits) {
            sendEndLater();
        } else {
            readiness.writable();
        }
    }

    private void continueHandshake() {
        if (step.get() == Step.NONE) {
            try {
                proceed();
            } catch (IOException e) {
                fail(e);
            }
        }
    }

    // Reading, on the worker.

    @Override
    public int read(ByteBuffer window, int offset, int length, long address) throws IOException {
        if (state == TlsState.FAILED) {
            throw failure;
        }
        if (state != TlsState.OPEN) {
            return 0;
        }
        int total = 0;
        boolean isDrained = false;
        while (total < length && !ended) {
            int read = engine.decrypt(inAddress + inPosition, inLimit - inPosition, address + total, length - total);
            inPosition += engine.consumed();
            if (read == TlsEngine.END) {
                ended = true;
            } else if (read > 0) {
                total += read;
            } else if (isDrained || !fill(total)) {
                return total;
            } else {
                isDrained = inLimit < IN_LENGTH && !endIsNear; // the end of the stream may follow
            }
        }
        return ended ? atEnd(total) : total;
    }

    /**
     * Reads records. Returns false if no records are available, or if the stream is truncated after {@code total}
     * bytes.
     */
    private boolean fill(int total) throws IOException {
        int read = socket.read(in, 0, IN_LENGTH, inAddress);
        inPosition = 0;
        inLimit = Math.max(0, read);
        if (read < 0 && total == 0) {
            throw new TlsFailure(
                    Code.PEER_LOST,
                    "the peer closed the connection without the end of the TLS stream; data may be missing");
        }
        if (read < 0) {
            worker.execute(() -> readiness.readable(true)); // the next read fails
        }
        return read > 0;
    }

    /** Returns the number of bytes read before the end of the stream, which the next read reports. */
    private int atEnd(int total) {
        if (total == 0) {
            return -1;
        }
        worker.execute(() -> readiness.readable(true));
        return total;
    }

    @Override
    public void stopReading() {
        socket.stopReading();
    }

    // Writing, by the holder of the sending side.

    @Override
    public void gather(long header, Vecs vecs) {
        plainText.set(header, vecs);
        plainText.skip(heldBack);
    }

    @Override
    public void gather(ByteBuffer window, int offset, int length, long address) {
        plainText.set(window, offset, length, address);
        plainText.skip(heldBack);
    }

    @Override
    public long write() throws IOException {
        if (state != TlsState.OPEN || !flush()) {
            return 0;
        }
        long written = heldBack;
        heldBack = 0;
        while (plainText.rest() > 0) {
            written += encrypt();
            if (!flush()) {
                heldBack = 1;
                return written - heldBack;
            }
        }
        return written;
    }

    /**
     * Encrypts plain text until the memory for records is full. Returns the number of bytes of plain text encrypted.
     */
    private int encrypt() throws IOException {
        int encrypted = 0;
        int length = 0;
        for (int i = 0; i < RECORDS && plainText.rest() > 0; i++) {
            plainText.nextRecord();
            length += engine.encrypt(
                    plainText.recordAddress(), plainText.recordLength(), outAddress + length, OUT_LENGTH - length);
            encrypted += plainText.recordLength();
        }
        socket.gather(out, 0, length, outAddress);
        outLength = length;
        return encrypted;
    }

    /** Writes the waiting records. Returns true if all have been written. */
    private boolean flush() throws IOException {
        if (outLength > 0) {
            outLength -= (int) socket.write();
        }
        return outLength == 0;
    }

    /**
     * Requests a notification. During the handshake, this method does nothing, because the end of the handshake always
     * causes a notification. The state is read after the write that found no space, so no notification is lost.
     */
    @Override
    public void awaitWritable() {
        if (state == TlsState.OPEN) {
            socket.awaitWritable();
        }
    }

    @Override
    public void allWritten() {
        socket.allWritten();
    }

    @Override
    public void shutdownOutput() throws IOException {
        if (state != TlsState.OPEN) {
            socket.shutdownOutput();
            return;
        }
        outLength = engine.end(outAddress, OUT_LENGTH);
        socket.gather(out, 0, outLength, outAddress);
        if (flush()) {
            socket.shutdownOutput();
        } else {
            endWaits = true;
            socket.awaitWritable();
        }
    }

    @Override
    public boolean endWaits() {
        return endWaits;
    }

    private void sendEndLater() {
        try {
            if (!flush()) {
                socket.awaitWritable();
                return;
            }
            socket.shutdownOutput();
        } catch (IOException e) {
            // The next read reports that the connection is broken.
        }
        endWaits = false;
        readiness.writable();
    }

    // Addresses and end.

    @Override
    public InetSocketAddress localAddress() {
        return socket.localAddress();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return socket.remoteAddress();
    }

    @Override
    public X509Certificate peerCertificate() {
        return state == TlsState.OPEN ? engine.peerCertificate() : null;
    }

    @Override
    public void close() {
        if (state == TlsState.CLOSED) {
            return;
        }
        state = TlsState.CLOSED;
        socket.close();
        if (step.getAndSet(Step.CLOSED) != Step.RUNNING) {
            release();
        }
    }

    private void release() {
        if (engine != null) {
            engine.close();
        }
        if (region != null) {
            region.release();
        }
    }
}
