package io.rocketbufs.benchmarks.micro;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.ConnectOptions;
import io.rocketbufs.ConnectionCallback;
import io.rocketbufs.Listener;
import io.rocketbufs.RIn;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.rbmq.protocol.Welcome;
import io.rocketbufs.rbmq.protocol.WelcomeLayout;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The base class of the inner-loop benchmarks. It provides a {@link RocketBufs} over a {@link SinkTransport}, and sets
 * the duration of the runs. All code runs on the benchmark's thread, so that only the code under test is measured. The
 * JVM uses the same garbage collector as a broker.
 *
 * <p>With {@code -prof gc}, {@code gc.alloc.rate.norm} is the number of bytes allocated per operation, which must be 0.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(value = 3, jvmArgsAppend = "-XX:+UseParallelGC")
@State(Scope.Thread)
public abstract class InnerLoop {
    /** Number of operations per invocation in benchmarks in which messages accumulate. */
    static final int BATCH = 64;

    static final int BUFFER_ID = 1;
    static final int TAG = 0;
    static final int CAPACITY = 1 << 20;

    private final Config config = ConfigFactory.parseString(
                    "rocketbufs.transport = " + SinkTransport.NAME + ", rbmq.port = 1")
            .withFallback(ConfigFactory.load())
            .resolve();

    private SinkTransport transport;
    private RocketBufs rocketBufs;

    /** Opens the framework. Must be called before all other methods. */
    final void open(SinkTransport over) {
        transport = over;
        rocketBufs = RocketBufs.open(config, over);
    }

    /** Opens the framework for an RBMQ client whose peer introduces itself as a broker. */
    final void openClient(int role) {
        SinkTransport over = new SinkTransport(role);
        over.introducePeers(WelcomeLayout.write(Welcome.of(1, CAPACITY)));
        open(over);
    }

    final Config config() {
        return config;
    }

    final SinkTransport transport() {
        return transport;
    }

    final RocketBufs rocketBufs() {
        return rocketBufs;
    }

    /** Accepts a connection from a peer with the given role. */
    final SinkConnection accept(int role, ConnectionCallback callback) {
        try (Listener listener = new Listener(rocketBufs, SinkTransport.ADDRESS)) {
            listener.setConnectionCallback(callback);
            SinkConnection peer = transport.accept();
            peer.sayHello(role);
            return peer;
        }
    }

    /** Connects to a peer that will send data. {@link SinkTransport#connected()} returns that peer. */
    final RIn receive() {
        CompletableFuture<RIn> made = new CompletableFuture<>();
        rocketBufs.connect(
                SinkTransport.ADDRESS,
                ConnectOptions.as(Role.SUBSCRIBER, connection -> made.complete(new RIn(connection))));
        return made.join();
    }

    /** Closes the framework. */
    @TearDown
    public final void close() {
        rocketBufs.close();
    }
}
