package io.rocketbufs.benchmarks.transport;

import io.rocketbufs.memory.Vecs;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportHandler;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/**
 * One end of a connection: sends control messages, again where the transport takes none at first, and hands the rest to
 * its {@link Side}.
 *
 * <p><b>Thread-safety:</b> the worker, which so holds the sending side too; {@link #ended} may be asked by anybody.
 */
final class Link implements TransportHandler {
    private static final int OUTBOX = 16;

    private final TransportConnection connection;
    private final ByteBuffer message = ByteBuffer.allocateDirect(BenchMessage.LENGTH);
    private final BenchMessage[] types = new BenchMessage[OUTBOX];
    private final long[] as = new long[OUTBOX];
    private final long[] bs = new long[OUTBOX];
    private final Runnable turn = this::turn;
    private final CompletableFuture<BenchResult> ended = new CompletableFuture<>();
    private long queued;
    private long left;
    private boolean turnDue;
    private boolean closing;
    private Side side;
    private Runnable onClosed = () -> {};
    private BenchResult result;

    Link(TransportConnection connection) {
        this.connection = connection;
    }

    /** Says the first word; later, because the transport has not got this handler before its acceptor returns. */
    void begin(Runnable action) {
        connection.worker().execute(() -> {
            try {
                action.run();
            } catch (RuntimeException e) {
                ended.completeExceptionally(e);
                close();
            }
        });
    }

    TransportConnection connection() {
        return connection;
    }

    /** Completes after the connection's end: with the client's result, with nothing at the server, or with why. */
    CompletableFuture<BenchResult> ended() {
        return ended;
    }

    void become(Side newSide) {
        side = newSide;
    }

    void onClosed(Runnable action) {
        onClosed = action;
    }

    // Sending.

    /** Sends a control message as soon as the transport takes it. */
    void tell(BenchMessage type, long a, long b) {
        if (queued - left == OUTBOX) {
            throw new IllegalStateException("the peer takes no control messages");
        }
        int at = (int) (queued++ % OUTBOX);
        types[at] = type;
        as[at] = a;
        bs[at] = b;
        flush();
    }

    /** Sends what waits; true when nothing does, so that messages may follow. */
    boolean flush() {
        while (left < queued) {
            int at = (int) (left % OUTBOX);
            types[at].put(message, as[at], bs[at]);
            PostResult posted = connection.send(message);
            if (posted == PostResult.NO_WINDOW || posted == PostResult.CLOSED) {
                return false;
            }
            left++;
        }
        return true;
    }

    /** Another turn of the side, after what else the worker has to do. */
    void again() {
        if (!turnDue) {
            turnDue = true;
            connection.worker().execute(turn);
        }
    }

    private void turn() {
        turnDue = false;
        if (!closing && flush()) {
            side.turn();
        }
    }

    /** The client is done. */
    void finish(BenchResult found) {
        result = found;
        connection.finish();
        close();
    }

    private void close() {
        if (!closing) {
            closing = true;
            connection.worker().execute(connection::close);
        }
    }

    // What the connection tells.

    @Override
    public void place(int immediate, int length, Vecs into) {
        side.place(length, into);
    }

    @Override
    public void arrived(int immediate, int length) {
        side.arrived(immediate, length);
    }

    @Override
    public void arrivalsEnd() {
        if (!closing && flush()) {
            side.turn();
        }
    }

    @Override
    public void control(ByteBuffer content) {
        side.control(BenchMessage.type(content), BenchMessage.a(content), BenchMessage.b(content));
    }

    @Override
    public void completed(int count) {
        // Memory is never waited for, as it is written once, before the run; space is.
        writable();
    }

    @Override
    public void writable() {
        connection.progress();
        arrivalsEnd();
    }

    @Override
    public void peerFinished() {
        close();
    }

    @Override
    public void failed(TransportException cause) {
        if (result == null) {
            ended.completeExceptionally(cause);
        }
        close();
    }

    @Override
    public void closed() {
        closing = true;
        onClosed.run();
        ended.complete(result);
    }
}
