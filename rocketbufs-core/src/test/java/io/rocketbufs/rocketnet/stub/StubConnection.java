package io.rocketbufs.rocketnet.stub;

import io.rocketbufs.memory.Region;
import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.LentWord;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.RemoteBuffer;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.TransportHandler;
import io.rocketbufs.rocketnet.WriteRequest;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/**
 * One side of a connection without a peer. The test determines the result of each operation; by default, everything is
 * sent immediately.
 *
 * <p><b>Thread-safety:</b> none.
 */
public final class StubConnection implements TransportConnection {
    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private final Capabilities capabilities;
    private final StubWorker worker;
    private TransportHandler handler;
    private Function<WriteRequest, PostResult> onWrite = request -> PostResult.SENT;
    private Function<ByteBuffer, PostResult> onSend = message -> PostResult.SENT;
    private Supplier<RemoteAccess> onGrant = () -> RemoteAccess.NONE;
    private BiFunction<RemoteAccess, Long, RemoteBuffer> onRemoteBuffer = RemoteBuffer::new;
    private LongFunction<PostResult> onWriteWord = value -> PostResult.SENT;
    private final List<StubWord> words = new ArrayList<>();
    private boolean lendsWords = true;
    private RemoteAccess wordWritten;
    private int withdrawn;
    private boolean finished;
    private boolean closed;

    /** Creates a connection without a handler. */
    public StubConnection(StubWorker worker, Capabilities capabilities, int number) {
        this.worker = worker;
        this.capabilities = capabilities;
        this.withdrawn = capabilities.withdraws() ? 0 : -1;
        this.local = InetSocketAddress.createUnresolved("127.0.0.1", 1);
        this.remote = new InetSocketAddress("127.0.0.1", number);
    }

    /** Sets the handler for the peer's events. */
    public void handledBy(TransportHandler handler) {
        this.handler = handler;
    }

    /** Returns the handler for the peer's events. */
    public TransportHandler handler() {
        return handler;
    }

    /** Sets the function that determines the results of writes. */
    public void onWrite(Function<WriteRequest, PostResult> answer) {
        onWrite = answer;
    }

    /** Sets the function that determines the results of control messages. */
    public void onSend(Function<ByteBuffer, PostResult> answer) {
        onSend = answer;
    }

    /** Sets the function that determines the results of grants. */
    public void onGrant(Supplier<RemoteAccess> answer) {
        onGrant = answer;
    }

    /** Sets the function that returns remote buffers for the peer's memory. */
    public void onRemoteBuffer(BiFunction<RemoteAccess, Long, RemoteBuffer> answer) {
        onRemoteBuffer = answer;
    }

    /** Sets the function that determines the results of writes to the peer's word. */
    public void onWriteWord(LongFunction<PostResult> answer) {
        onWriteWord = answer;
    }

    /** Returns the access used for the last write to the peer's word. */
    public RemoteAccess wordWritten() {
        return wordWritten;
    }

    /** Simulates that all words of the connection have already been lent. */
    public void lendNoWords() {
        lendsWords = false;
    }

    /** Returns the words lent so far. */
    public List<StubWord> words() {
        return words;
    }

    /**
     * Sets the number of posted writes that {@link #withdraw} completes; initially 0 or -1, depending on the
     * capabilities.
     */
    public void withdrawn(int count) {
        withdrawn = count;
    }

    /** Returns true after {@link #finish}. */
    public boolean isFinished() {
        return finished;
    }

    /** Returns true after {@link #close}. */
    public boolean isClosed() {
        return closed;
    }

    @Override
    public InetSocketAddress localAddress() {
        return local;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public Capabilities capabilities() {
        return capabilities;
    }

    @Override
    public StubWorker worker() {
        return worker;
    }

    @Override
    public RemoteAccess grant(Region region, long offset, long length) {
        return onGrant.get();
    }

    @Override
    public void revoke(RemoteAccess access) {}

    @Override
    public RemoteBuffer remoteBuffer(RemoteAccess access, long capacity) {
        return onRemoteBuffer.apply(access, capacity);
    }

    @Override
    public PostResult write(WriteRequest request) {
        return onWrite.apply(request);
    }

    @Override
    public PostResult send(ByteBuffer message) {
        return onSend.apply(message);
    }

    @Override
    public LentWord lendWord() {
        if (!lendsWords) {
            return null;
        }
        words.add(new StubWord(words.size() + 1));
        return words.get(words.size() - 1);
    }

    @Override
    public PostResult writeWord(RemoteAccess word, long value) {
        wordWritten = word;
        return onWriteWord.apply(value);
    }

    @Override
    public int progress() {
        return 0;
    }

    @Override
    public int withdraw() {
        return withdrawn;
    }

    @Override
    public void finish() {
        finished = true;
    }

    @Override
    public void close() {
        closed = true;
        handler.closed();
    }
}
