package io.rocketbufs;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigValueFactory;
import io.rocketbufs.options.SubscribePermission;
import io.rocketbufs.rocketnet.loopback.LoopbackNetwork;
import io.rocketbufs.rocketnet.loopback.LoopbackOptions;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A sending process and a receiving process, connected over the loopback transport, for tests of the public API. */
final class TwoProcesses implements AutoCloseable {
    private final LoopbackNetwork network = new LoopbackNetwork(LoopbackOptions.socket());
    final RocketBufs sending = open("sender");
    final RocketBufs receiving = open("receiver");
    final ROut out = new ROut(sending);
    private final Listener listener = new Listener(sending, new InetSocketAddress("127.0.0.1", 0));
    private volatile Connection accepted;

    TwoProcesses() {
        this(SubscribePermission.ALL);
    }

    /** Creates the processes. Receivers may subscribe only to buffers that the given permission includes. */
    TwoProcesses(SubscribePermission permission) {
        listener.setConnectionCallback(connection -> {
            accepted = connection;
            out.addConnection(connection, permission);
        });
    }

    private RocketBufs open(String name) {
        Config config = ConfigFactory.load().withValue("rocketbufs.transport", ConfigValueFactory.fromAnyRef(name));
        return RocketBufs.open(config, network.transport(name));
    }

    /** Connects a receiver. */
    RIn connect() throws Exception {
        CompletableFuture<RIn> in = new CompletableFuture<>();
        receiving
                .connect(
                        listener.address(),
                        ConnectOptions.as(Role.SUBSCRIBER, connection -> in.complete(new RIn(connection)))
                                .over("receiver"))
                .get(60, TimeUnit.SECONDS);
        return in.get();
    }

    /** Returns the sender's side of the last connection. */
    Connection accepted() {
        return accepted;
    }

    /** Delivers the given number of bytes. */
    void deliver(int bufferId, int length) {
        Segment segment = out.getOutputSegment(bufferId, length, false);
        out.deliver(segment, length);
    }

    @Override
    public void close() {
        receiving.close();
        sending.close();
        network.close();
    }
}
