package io.rocketbufs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigValueFactory;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.Transport;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The environment of a contract test: nodes that reach each other over the transport under test. At the end, no
 * connection may have failed unless the test expects this, and no node may have memory in use.
 */
final class Stage {
    private static final long LIMIT_S = 150;
    private static final long SPIN_NS = 50_000;
    private static final long FIRST_PAUSE_NS = 50_000;
    private static final long LONGEST_PAUSE_NS = 1_000_000;

    private final Function<Config, Transport> transports;
    private final Function<Config, Transport> downstream;
    private final String host;
    private final Runnable onOverwrittenWrites;
    private final List<Node> nodes = new ArrayList<>();
    private final List<Transport> opened = new ArrayList<>();
    private Transport toSubscribers;
    private boolean failuresExpected;

    Stage(Function<Config, Transport> transports, String host, Runnable onOverwrittenWrites) {
        this(transports, transports, host, onOverwrittenWrites);
    }

    /**
     * Creates a stage. Nodes use the first transport, except that brokers reach their subscribers over the second one.
     *
     * @param downstream opens transports with a different name; may be the same as {@code transports}
     * @param onOverwrittenWrites run by {@link #expectOverwrittenWrites()}
     */
    Stage(
            Function<Config, Transport> transports,
            Function<Config, Transport> downstream,
            String host,
            Runnable onOverwrittenWrites) {
        this.onOverwrittenWrites = onOverwrittenWrites;
        this.transports = transports;
        this.downstream = downstream;
        this.host = host;
    }

    /** Returns the address on which nodes listen. */
    String host() {
        return host;
    }

    /** Opens another node. */
    Node node() {
        return node(config());
    }

    /** Opens another node with a configuration derived from {@link #config()}. */
    Node node(Config config) {
        return node(config, transport(config));
    }

    /** Opens a node that publishers reach over the first transport, and subscribers over the second. */
    Node broker(Config config) {
        Transport transport = transport(config);
        return downstream == transports ? node(config, transport) : node(config, transport, openDownstream(config));
    }

    /** Opens a node that subscribes to brokers' buffers. */
    Node subscriber(Config config) {
        return node(config, openDownstream(config));
    }

    private Node node(Config config, Transport... own) {
        Config named = config.withValue("rocketbufs.transport", ConfigValueFactory.fromAnyRef(own[0].name()));
        Node node = new Node(RocketBufs.open(named, own), host);
        nodes.add(node);
        return node;
    }

    /** Opens the transport itself, without a node. */
    Transport transport(Config config) {
        Transport transport = transports.apply(config);
        opened.add(transport);
        return transport;
    }

    private Transport openDownstream(Config config) {
        Transport transport = downstream.apply(config);
        opened.add(transport);
        toSubscribers = transport;
        return transport;
    }

    /** Returns the capabilities of the transport under test; requires an open node. */
    Capabilities capabilities() {
        return opened.get(0).capabilities();
    }

    /** Returns the capabilities of the transport between a broker and its subscribers. */
    Capabilities downstreamCapabilities() {
        return toSubscribers.capabilities();
    }

    /**
     * Returns true if writes to a stopped peer may keep local memory in use. This is the case if the transport cannot
     * withdraw these writes, and only the peer's processor can complete them, though not necessarily in the stopped
     * thread. Requires an open node.
     */
    boolean mayBeHeldByStoppedPeers() {
        return mayBeHeldByStoppedPeers(capabilities());
    }

    /** Returns true if writes to a broker's stopped subscriber may keep local memory in use. */
    boolean mayBeHeldByStoppedSubscribers() {
        return mayBeHeldByStoppedPeers(downstreamCapabilities());
    }

    private static boolean mayBeHeldByStoppedPeers(Capabilities capabilities) {
        return !capabilities.withdraws() && capabilities.remoteCpu();
    }

    /**
     * Returns the tests' default configuration. On a busy machine, a test that stops a peer may take a long time, and
     * any peer may pause for seconds. The timeouts are therefore longer than a test can take, so that such a peer is
     * not disconnected.
     */
    static Config config() {
        Object longest = "180 s";
        return ConfigFactory.load()
                .withValue("rocketbufs.heartbeat-timeout", ConfigValueFactory.fromAnyRef(longest))
                .withValue("rocketbufs.greeting-timeout", ConfigValueFactory.fromAnyRef(longest))
                .withValue("rocketbufs.close-timeout", ConfigValueFactory.fromAnyRef(longest))
                .withValue("rocketbufs.write-timeout", ConfigValueFactory.fromAnyRef(longest));
    }

    /** Returns a configuration with short timer intervals, so that time limits of tens of milliseconds take effect. */
    static Config hasty() {
        return config().withValue("rocketbufs.heartbeat-interval", ConfigValueFactory.fromAnyRef("40 ms"));
    }

    /**
     * Returns a configuration with short timer intervals. If writes to a stopped peer may keep local memory in use,
     * their time limit is also short.
     */
    static Config impatient(boolean mayBeHeld) {
        return mayBeHeld
                ? hasty().withValue("rocketbufs.write-timeout", ConfigValueFactory.fromAnyRef("500 ms"))
                : hasty();
    }

    /** Allows connections to fail in this test. */
    void expectFailures() {
        expectFailures(true);
    }

    /**
     * Allows this test to overwrite memory from which writes in flight are sent. Applies to transports whose senders
     * address remote memory. Used for spliced overwriting buffers, whose memory the publisher may overwrite at any
     * time.
     */
    void expectOverwrittenWrites() {
        if (!capabilities().receiverPlaces()) {
            onOverwrittenWrites.run();
        }
    }

    /** Sets whether this test allows connections to fail. */
    void expectFailures(boolean expected) {
        failuresExpected = expected;
    }

    /** Checks for failed connections and leaked memory, and closes everything. */
    void close() {
        try {
            check();
        } finally {
            nodes.forEach(Node::kill);
            opened.forEach(Transport::close);
        }
    }

    private void check() {
        if (!failuresExpected) {
            assertThat(nodes.stream().flatMap(node -> node.failures().stream()).map(Throwable::toString))
                    .isEmpty();
        }
        nodes.forEach(Node::giveUpBuffers);
        for (Node node : nodes) {
            eventually(
                    () -> node.rocketBufs().memoryInUse() == 0,
                    () -> node.rocketBufs().memoryInUse() + " bytes of memory are still in use");
        }
    }

    /**
     * Waits until a condition is true. On a timeout, the error contains the description returned by {@code what}.
     *
     * <p>Most conditions become true within microseconds, so the first polls follow each other immediately, and the
     * next ones after short pauses. Polling longer without a pause would take the processor away from the threads that
     * make the condition true.
     */
    static void eventually(Callable<Boolean> condition, Supplier<String> what) {
        long begin = System.nanoTime();
        for (long pauseNs = 0; !isTrue(condition); ) {
            long waitedNs = System.nanoTime() - begin;
            if (waitedNs > TimeUnit.SECONDS.toNanos(LIMIT_S)) {
                throw new AssertionError("timed out after " + LIMIT_S + " s waiting for " + what.get());
            }
            if (Thread.interrupted()) {
                throw new AssertionError("interrupted while waiting for " + what.get());
            }
            if (waitedNs < SPIN_NS) {
                Thread.yield();
            } else {
                pauseNs = Math.min(pauseNs + FIRST_PAUSE_NS, LONGEST_PAUSE_NS);
                LockSupport.parkNanos(pauseNs);
            }
        }
    }

    private static boolean isTrue(Callable<Boolean> condition) {
        try {
            return condition.call();
        } catch (Exception e) {
            throw new AssertionError("the condition failed", e);
        }
    }

    /** Waits until a condition is true. */
    static void eventually(Callable<Boolean> condition) {
        eventually(condition, () -> "a condition");
    }

    /** Waits for a future's value. */
    static <T> T get(CompletableFuture<T> future) {
        try {
            return future.get(LIMIT_S, TimeUnit.SECONDS);
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError("the future has not completed", e);
        } catch (ExecutionException e) {
            throw new AssertionError("the future failed", e.getCause());
        }
    }

    /** Waits for a future's failure. */
    static Throwable failureOf(CompletableFuture<?> future) {
        try {
            Object value = future.get(LIMIT_S, TimeUnit.SECONDS);
            throw new AssertionError("the future completed with " + value);
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError("the future has not completed", e);
        } catch (ExecutionException e) {
            return e.getCause();
        }
    }
}
