package io.rocketbufs.rocketnet.stub;

import io.rocketbufs.memory.Vecs;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.wire.ControlLayout;
import io.rocketbufs.wire.ControlType;
import io.rocketbufs.wire.HelloLayout;
import io.rocketbufs.wire.ImmediateLayout;
import io.rocketbufs.wire.PositionLayout;
import io.rocketbufs.wire.SubscribeLayout;
import io.rocketbufs.wire.SubscribedLayout;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * The publishing peer of a {@link StubConnection}. It sends a greeting, accepts every subscription, and sends data on
 * request. No bytes are copied.
 *
 * <p><b>Thread-safety:</b> none. Messages from the peer arrive when the worker runs.
 */
public final class StubPeer {
    private static final byte[] NO_GREETING = {};

    private final StubConnection connection;
    private final ByteBuffer message = ByteBuffer.allocateDirect(256);
    private final Vecs placed = new Vecs(4);
    private boolean greeted;

    private int subscribedTag = -1;
    private boolean overwriting;
    private RemoteAccess word = RemoteAccess.NONE;
    private long consumedPosition;
    private long creditCount;
    private long wordPosition;

    /** Creates the peer, which determines the results of the connection's control messages and words. */
    public StubPeer(StubConnection connection) {
        this.connection = connection;
        connection.onSend(this::sent);
        connection.onWriteWord(this::wordWritten);
    }

    /** Simulates the arrival of a single write of {@code length} bytes. Worker only. */
    public void send(int length) {
        write(length, false);
        connection.handler().arrivalsEnd();
    }

    /**
     * Simulates the arrival of a write of {@code length} bytes. The transfer may continue with another write. Worker
     * only.
     */
    public void write(int length, boolean more) {
        int immediate = ImmediateLayout.data(subscribedTag, more);
        placed.clear();
        connection.handler().place(immediate, length, placed);
        connection.handler().arrived(immediate, length);
    }

    /** Simulates the immediate arrival of a control message from this peer. */
    public void tell(ControlType type, Consumer<ByteBuffer> body) {
        begin(type);
        body.accept(message);
        connection.worker().run(this::say);
    }

    /** Makes the peer accept later subscriptions without flow control. */
    public void overwriting() {
        overwriting = true;
    }

    /** Makes the peer accept later subscriptions and lend each of them the word with the given access. */
    public void lends(RemoteAccess access) {
        word = access;
    }

    /** Returns the consumed position that this side has reported. */
    public long consumedPosition() {
        return consumedPosition;
    }

    /** Returns the number of credit updates received. */
    public long creditCount() {
        return creditCount;
    }

    /** Returns the position that this side has written to the peer's word. */
    public long wordPosition() {
        return wordPosition;
    }

    private PostResult wordWritten(long position) {
        wordPosition = position;
        return PostResult.SENT;
    }

    private PostResult sent(ByteBuffer said) {
        ControlType type = ControlType.of(ControlLayout.typeCode(said));
        int start = said.position();
        said.position(start + ControlLayout.HEADER_LENGTH);
        hear(type, said);
        said.position(start);
        return PostResult.SENT;
    }

    private void hear(ControlType type, ByteBuffer body) {
        if (type == ControlType.CREDIT) {
            consumedPosition = PositionLayout.position(body);
            creditCount++;
        } else if (type == ControlType.SUBSCRIBE) {
            subscribedTag = SubscribeLayout.tag(body);
            connection.worker().execute(this::agree);
        } else if (type == ControlType.HELLO && !greeted) {
            connection.worker().execute(() -> hello(1));
        }
    }

    private void agree() {
        begin(ControlType.SUBSCRIBED);
        SubscribedLayout.putKind(message, subscribedTag, overwriting, overwriting);
        SubscribedLayout.putWord(message, word.address(), word.key());
        SubscribedLayout.putPositions(message, 0, 0);
        say();
    }

    private void hello(int role) {
        greeted = true;
        begin(ControlType.HELLO);
        HelloLayout.put(message, role, 1000, NO_GREETING);
        say();
    }

    private void begin(ControlType type) {
        ControlLayout.begin(message, type, 0);
    }

    private void say() {
        connection.handler().control(ControlLayout.end(message));
    }
}
