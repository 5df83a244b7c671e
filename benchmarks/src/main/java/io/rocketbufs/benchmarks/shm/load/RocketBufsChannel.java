package io.rocketbufs.benchmarks.shm.load;

import com.typesafe.config.ConfigFactory;
import io.rocketbufs.ConnectOptions;
import io.rocketbufs.Connection;
import io.rocketbufs.Listener;
import io.rocketbufs.RIn;
import io.rocketbufs.ROut;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.Segment;
import io.rocketbufs.SubscriptionCallback;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/** RocketBufs over the shared-memory transport. Each message is delivered with a separate call. */
final class RocketBufsChannel implements MessageChannel {
    private static final int BUFFER_ID = 1;
    private static final int CAPACITY = 1 << 20;
    private static final long PATIENCE_S = 30;

    private final RocketBufs rocketBufs;
    private final ROut out;
    private final int size;
    private final ByteBuffer content;
    private final CompletableFuture<RIn> attached = new CompletableFuture<>();
    private final CompletableFuture<Void> subscribed = new CompletableFuture<>();
    private Listener listener;

    /**
     * Creates an end without a connection.
     *
     * @param directory directory that contains the transport's sockets
     * @param spinUs time in microseconds for which a worker polls for data before it sleeps
     */
    RocketBufsChannel(Path directory, int spinUs, int size) {
        this.rocketBufs = RocketBufs.open(ConfigFactory.parseString("rocketbufs { transport = shm, shm { directory = \""
                        + directory + "\", spin-us = " + spinUs + " } }")
                .withFallback(ConfigFactory.load()));
        this.size = size;
        this.content = Message.content(size, ByteOrder.BIG_ENDIAN);
        this.out = new ROut(rocketBufs);
        out.setSubscriptionCallback(new SubscriptionCallback() {
            @Override
            public void onSubscribed(int bufferId, Connection connection) {
                subscribed.complete(null);
            }
        });
        out.createBuffer(BUFFER_ID, (long) CAPACITY / size * size);
    }

    /** Starts listening. Returns the port. */
    int listen() {
        listener = new Listener(rocketBufs, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        listener.setConnectionCallback(this::attach);
        return listener.address().getPort();
    }

    /** Connects to the other end. */
    void connect(int port) throws Exception {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        rocketBufs.connect(address, ConnectOptions.as(Role.PEER, this::attach)).get(PATIENCE_S, TimeUnit.SECONDS);
    }

    private void attach(Connection connection) {
        RIn in = new RIn(connection);
        out.addConnection(connection);
        attached.complete(in);
    }

    @Override
    public void receive(LongConsumer onMessage) throws Exception {
        RIn in = attached.get(PATIENCE_S, TimeUnit.SECONDS);
        in.setDataInCallback((bufferId, data) -> {
            for (long offset = 0; offset < data.length(); offset += size) {
                onMessage.accept(Message.number(data.getLong(offset), data.getLong(offset + size - Long.BYTES)));
            }
            in.dataConsumed(bufferId, data.length());
        });
        in.subscribe(BUFFER_ID, (long) CAPACITY / size * size).get(PATIENCE_S, TimeUnit.SECONDS);
    }

    @Override
    public void awaitReceiver() throws Exception {
        subscribed.get(PATIENCE_S, TimeUnit.SECONDS);
    }

    @Override
    public void send(long number) {
        Segment segment = out.getOutputSegment(BUFFER_ID, size, false);
        if (segment.vecCount() < 0) {
            segment = out.getOutputSegment(BUFFER_ID, size, true);
        }
        if (segment.vecCount() < 0) {
            throw new IllegalStateException("cannot send: " + segment);
        }
        Message.number(content, number);
        segment.put(0, content.array(), 0, size);
        out.deliver(segment, size);
    }

    @Override
    public void close() {
        rocketBufs.close();
    }
}
