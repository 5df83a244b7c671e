package io.rocketbufs.rocketnet.loopback;

import io.rocketbufs.memory.Vecs;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportException.Code;
import io.rocketbufs.rocketnet.TransportHandler;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * A wrapper around the handler under test. It forwards calls only on the correct thread and only until the connection
 * has ended. It converts the handler's exceptions into a failure of the connection.
 */
final class LoopbackHandler implements TransportHandler {
    private final LoopbackConnection connection;
    private final LoopbackNetwork network;
    private final TransportHandler target;
    private boolean threw;
    private boolean failed;
    private boolean closed;

    LoopbackHandler(LoopbackConnection connection, LoopbackNetwork network, TransportHandler target) {
        this.connection = connection;
        this.network = network;
        this.target = Objects.requireNonNull(target);
    }

    @Override
    public void place(int immediate, int length, Vecs into) {
        call(() -> {
            target.place(carried(immediate), length, into);
            if (into.totalLength() != length && !connection.isClosed()) {
                throw new AssertionError("place() provided " + into.totalLength() + " bytes for a write of " + length);
            }
        });
    }

    @Override
    public void arrived(int immediate, int length) {
        int told = connection.capabilities().lengthWithArrival() ? length : -1;
        call(() -> target.arrived(carried(immediate), told));
    }

    private int carried(int immediate) {
        int lost = Integer.SIZE - connection.capabilities().immediateBits();
        return immediate << lost >>> lost;
    }

    @Override
    public void arrivalsEnd() {
        call(target::arrivalsEnd);
    }

    @Override
    public void control(ByteBuffer message) {
        call(() -> target.control(message));
    }

    @Override
    public void completed(int count) {
        call(() -> target.completed(count));
    }

    @Override
    public void readCompleted(long context) {
        call(() -> target.readCompleted(context));
    }

    @Override
    public void atomicCompleted(long context, long before) {
        call(() -> target.atomicCompleted(context, before));
    }

    @Override
    public void writable() {
        call(target::writable);
    }

    @Override
    public void peerFinished() {
        call(target::peerFinished);
    }

    @Override
    public void failed(TransportException cause) {
        if (!failed && !connection.isClosed()) {
            failed = true;
            run(() -> target.failed(cause));
        }
    }

    @Override
    public void closed() {
        if (!closed) {
            closed = true;
            run(target::closed);
        }
    }

    private void call(Runnable upcall) {
        if (!threw && !failed && !connection.isClosed()) {
            run(upcall);
        }
    }

    private void run(Runnable upcall) {
        if (!connection.worker().inWorker()) {
            network.violation(
                    "the handler was called on " + Thread.currentThread().getName());
        }
        try {
            upcall.run();
        } catch (TransportException e) {
            fail(e);
        } catch (RuntimeException e) {
            fail(new TransportException(Code.PROTOCOL, "the handler threw " + e, e));
        } catch (Error e) {
            // An assertion in the test's handler failed: the test must fail regardless of core's reaction.
            network.record(e);
            fail(new TransportException(Code.PROTOCOL, "the handler threw " + e, e));
        }
    }

    private void fail(TransportException cause) {
        threw = true;
        connection.fail(cause);
    }
}
