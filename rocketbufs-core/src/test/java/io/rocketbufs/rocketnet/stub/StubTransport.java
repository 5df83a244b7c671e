package io.rocketbufs.rocketnet.stub;

import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.Capabilities.Completion;
import io.rocketbufs.rocketnet.Capabilities.Operation;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportAcceptor;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.TransportListener;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * A transport named {@code stub} with one {@link StubWorker}, at most one listener, and peers that are played.
 *
 * <p><b>Thread-safety:</b> none.
 */
public final class StubTransport implements Transport {
    private static final Capabilities SOCKET = socket(Integer.MAX_VALUE);

    private final StubWorker worker = new StubWorker();
    private TransportAcceptor listening;
    private StubConnection newest;
    private int connectionCount;

    /** Like TCP: the receiver places. */
    public static Capabilities socket(int longestWrite) {
        return capabilities(longestWrite, true, Set.of(Operation.WRITE_WITH_IMMEDIATE, Operation.SEND));
    }

    /** The same, but committed writes cannot be withdrawn. */
    public static Capabilities withoutWithdrawal() {
        return capabilities(Integer.MAX_VALUE, false, Set.of(Operation.WRITE_WITH_IMMEDIATE, Operation.SEND));
    }

    /** The same with words. */
    public static Capabilities words() {
        return capabilities(
                Integer.MAX_VALUE, true, Set.of(Operation.WRITE_WITH_IMMEDIATE, Operation.SEND, Operation.WRITE_WORD));
    }

    private static Capabilities capabilities(int longestWrite, boolean withdraws, Set<Operation> operations) {
        return new Capabilities(
                Integer.SIZE,
                true,
                true,
                true,
                false,
                64,
                longestWrite,
                16 * 1024,
                0,
                true,
                true,
                withdraws,
                Completion.SENT,
                operations);
    }

    /** The only worker. */
    public StubWorker worker() {
        return worker;
    }

    /** Somebody connects to the listener. */
    public StubPeer accept() {
        StubPeer[] peer = new StubPeer[1];
        worker.run(() -> peer[0] = establish(listening));
        return peer[0];
    }

    /** The peer of the last connection. */
    public StubConnection newest() {
        return newest;
    }

    private StubPeer establish(TransportAcceptor acceptor) {
        newest = new StubConnection(worker, SOCKET, ++connectionCount);
        StubPeer peer = new StubPeer(newest);
        newest.handledBy(acceptor.established(newest));
        return peer;
    }

    @Override
    public String name() {
        return "stub";
    }

    @Override
    public Capabilities capabilities() {
        return SOCKET;
    }

    @Override
    public String detail() {
        return "nowhere";
    }

    @Override
    public TransportListener listen(InetSocketAddress address, TransportAcceptor acceptor) {
        listening = acceptor;
        return new StubListener(address);
    }

    private record StubListener(InetSocketAddress address) implements TransportListener {
        @Override
        public void close() {
            // Nobody connects unless the test says so.
        }
    }

    @Override
    public CompletableFuture<TransportConnection> connect(InetSocketAddress address, TransportAcceptor acceptor) {
        CompletableFuture<TransportConnection> connected = new CompletableFuture<>();
        worker.execute(() -> {
            establish(acceptor);
            connected.complete(newest);
        });
        return connected;
    }

    @Override
    public boolean inWorker() {
        return worker.inWorker();
    }

    @Override
    public void close() {
        worker.run();
    }
}
