package io.rocketbufs.contract;

import static io.rocketbufs.contract.PeerProcess.BUFFER;
import static io.rocketbufs.contract.PeerProcess.CAPACITY;
import static io.rocketbufs.contract.PeerProcess.LENGTH;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.AtomicCell;
import io.rocketbufs.ConnectOptions;
import io.rocketbufs.Connection;
import io.rocketbufs.Grant;
import io.rocketbufs.Listener;
import io.rocketbufs.RIn;
import io.rocketbufs.ROut;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.Segment;
import io.rocketbufs.memory.MappedFile;
import io.rocketbufs.options.GrantCallback;
import io.rocketbufs.options.Revocation;
import io.rocketbufs.rocketnet.Right;
import io.rocketbufs.rocketnet.TransportException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests in which a process is killed while writes are in flight. The other process must detect the loss, release all
 * memory and descriptors, and continue to serve other processes.
 */
@Timeout(600)
public abstract class KilledPeerContract {
    private static final long LIMIT_S = 60;

    private final String settings;
    private final String host;
    private final long enough;
    private final Duration soon;
    private final List<Connection> accepted = new CopyOnWriteArrayList<>();
    private final List<Throwable> failures = new CopyOnWriteArrayList<>();
    private RocketBufs survivor;
    private RocketBufs neighbour;
    private Listener listener;

    /**
     * Creates the suite.
     *
     * @param settings configuration of both processes, in addition to the defaults
     * @param host address on which the surviving process listens
     * @param rounds number of times that a buffer is filled, both before and after the process is killed
     * @param soon maximum time until the loss is detected
     */
    protected KilledPeerContract(String settings, String host, long rounds, Duration soon) {
        this.settings = settings;
        this.host = host;
        this.soon = soon;
        enough = rounds * CAPACITY;
    }

    @BeforeEach
    void open() {
        survivor = PeerProcess.open(settings);
        neighbour = PeerProcess.open(settings);
        listener = new Listener(survivor, new InetSocketAddress(host, 0));
    }

    @AfterEach
    void close() {
        neighbour.close();
        survivor.close();
    }

    /** Returns the number of descriptors that this process holds open for connections, or 0 if they are not counted. */
    protected long descriptors() {
        return 0;
    }

    private void watch(Connection connection) {
        accepted.add(connection);
        connection.setCloseCallback(failure -> {
            if (failure != null) {
                failures.add(failure);
            }
        });
    }

    private void assertThatTheLossWasNoticed(Connection lost) {
        await().atMost(soon).until(() -> !lost.isOpen() && !failures.isEmpty());
        assertThat(failures)
                .singleElement()
                .isInstanceOfSatisfying(
                        TransportException.class,
                        failure -> assertThat(failure.code()).isEqualTo(TransportException.Code.PEER_LOST));
    }

    @ParameterizedTest(name = "stopped before: {0}")
    @ValueSource(booleans = {false, true})
    void shouldServeOtherSubscribersWhenOneIsKilled(boolean stopped) throws Exception {
        ROut out = new ROut(survivor);
        out.createBuffer(BUFFER, CAPACITY);
        listener.setConnectionCallback(connection -> {
            watch(connection);
            out.addConnection(connection);
        });
        AtomicLong received = new AtomicLong();
        subscribe(received);
        long memory = survivor.memoryInUse();
        long open = descriptors();
        AtomicBoolean done = new AtomicBoolean();
        try (PeerProcess child = PeerProcess.start(settings, listener.address(), "subscriber")) {
            await().until(() -> out.subscriptionCount(BUFFER) == 2);
            CompletableFuture<Long> publisher = CompletableFuture.supplyAsync(() -> publish(out, done));
            await().until(() -> received.get() > enough);
            if (stopped) {
                child.stop();
                // The slowest subscriber delays the publisher.
                await().until(() -> out.subscriptions().stream().anyMatch(info -> info.pendingLength() > CAPACITY / 2));
            }
            child.kill();
            assertThatTheLossWasNoticed(accepted.get(1));
            assertThat(out.subscriptionCount(BUFFER)).isEqualTo(1);

            long before = received.get();
            await().until(() -> received.get() > before + enough);
            done.set(true);
            long sent = publisher.get(LIMIT_S, TimeUnit.SECONDS);
            await().until(() -> received.get() == sent);
            assertThat(accepted.get(0).isOpen()).isTrue();
            await().until(() -> survivor.memoryInUse() == memory);
        }
        await().until(() -> descriptors() <= open);
        out.close();
    }

    private void subscribe(AtomicLong received) throws Exception {
        CompletableFuture<RIn> made = new CompletableFuture<>();
        neighbour
                .connect(
                        listener.address(),
                        ConnectOptions.as(Role.SUBSCRIBER, connection -> made.complete(new RIn(connection))))
                .get(LIMIT_S, TimeUnit.SECONDS);
        RIn in = made.get(LIMIT_S, TimeUnit.SECONDS);
        in.setDataInCallback((bufferId, data) -> {
            for (long at = 0; at < data.length(); at += LENGTH) {
                if (data.getLong(at) != received.get()) {
                    throw new AssertionError("expected " + received.get() + ", but received " + data.getLong(at));
                }
                received.addAndGet(LENGTH);
            }
            in.dataConsumed(bufferId, data.length());
        });
        in.subscribe(BUFFER, CAPACITY).get(LIMIT_S, TimeUnit.SECONDS);
    }

    /** Sends messages that contain their position. Returns the number of bytes sent. */
    private static long publish(ROut out, AtomicBoolean done) {
        long position = 0;
        while (!done.get()) {
            Segment segment = out.getOutputSegment(BUFFER, LENGTH, true);
            if (segment.vecCount() > 0) {
                segment.putLong(0, position);
                out.deliver(segment, LENGTH);
                position += LENGTH;
            }
        }
        return position;
    }

    @Test
    void shouldReceiveFromOtherPublishersWhenOneIsKilled() throws Exception {
        List<RIn> ins = new CopyOnWriteArrayList<>();
        List<AtomicLong> received = new CopyOnWriteArrayList<>();
        List<String> ends = new CopyOnWriteArrayList<>();
        listener.setConnectionCallback(connection -> {
            watch(connection);
            RIn in = new RIn(connection);
            AtomicLong count = new AtomicLong();
            in.setDataInCallback((bufferId, data) -> {
                count.addAndGet(data.length());
                in.dataConsumed(bufferId, data.length());
            });
            in.setBufferEndCallback((bufferId, reason) -> ends.add(bufferId + " " + reason));
            in.subscribe(BUFFER, CAPACITY);
            ins.add(in);
            received.add(count);
        });
        ROut out = new ROut(neighbour);
        out.createBuffer(BUFFER, CAPACITY);
        neighbour
                .connect(listener.address(), ConnectOptions.as(Role.PUBLISHER, out::addConnection))
                .get(LIMIT_S, TimeUnit.SECONDS);
        AtomicBoolean begun = new AtomicBoolean();
        CompletableFuture<Long> beginning = CompletableFuture.supplyAsync(() -> publish(out, begun));
        await().until(() -> !received.isEmpty() && received.get(0).get() > enough);
        // Publishing pauses here, because a process takes a long time to start while a publisher runs at full speed.
        begun.set(true);
        beginning.get(LIMIT_S, TimeUnit.SECONDS);
        long memory = survivor.memoryInUse();
        long open = descriptors();
        try (PeerProcess child = PeerProcess.start(settings, listener.address(), "publisher")) {
            AtomicBoolean done = new AtomicBoolean();
            CompletableFuture<Long> publisher = CompletableFuture.supplyAsync(() -> publish(out, done));
            await().until(() -> received.size() == 2 && received.get(1).get() > enough);
            assertThat(survivor.memoryInUse()).isGreaterThan(memory);
            child.kill();
            assertThatTheLossWasNoticed(accepted.get(1));
            await().until(() -> ends.size() == 1);

            long before = received.get(0).get();
            await().until(() -> received.get(0).get() > before + enough);
            done.set(true);
            publisher.get(LIMIT_S, TimeUnit.SECONDS);
            ins.get(1).close();
            await().until(() -> survivor.memoryInUse() == memory);
            assertThat(accepted.get(0).isOpen()).isTrue();
        }
        await().until(() -> descriptors() <= open);
        out.close();
    }

    /**
     * Checks that the additions of the killed process remain and that the other processes continue, because the word is
     * not a lock.
     */
    @Test
    void shouldGoOnWithAWordWhenAPeerIsKilledThatAddsToIt() throws Exception {
        List<Grant> grants = new CopyOnWriteArrayList<>();
        try (MappedFile words = MappedFile.words("words of a killed peer", Long.BYTES)) {
            listener.setConnectionCallback(connection -> {
                watch(connection);
                Grant grant = connection.grant(words.region(), 0, Long.BYTES, Set.of(Right.ATOMIC), GrantCallback.NONE);
                grants.add(grant);
                connection.sendControlMessage(grant.description());
            });
            neighbour
                    .connect(listener.address(), ConnectOptions.as(Role.PEER, connection -> {}))
                    .get(LIMIT_S, TimeUnit.SECONDS);
            await().until(() -> grants.size() == 1);
            AtomicCell cell = accepted.get(0).atomicCell(words.region(), 0);
            long open = descriptors();
            try (PeerProcess child = PeerProcess.start(settings, listener.address(), "adder")) {
                await().until(() -> cell.value() > 1000);
                child.kill();
                assertThatTheLossWasNoticed(accepted.get(1));
                assertThat(grants.get(1).end().get(LIMIT_S, TimeUnit.SECONDS)).isEqualTo(Revocation.CONNECTION_CLOSED);
            }
            long left = cell.value();
            CompletableFuture<Long> before = new CompletableFuture<>();
            cell.fetchAdd(1, before::complete);
            assertThat(before.get(LIMIT_S, TimeUnit.SECONDS)).isEqualTo(left);
            await().until(() -> cell.value() == left + 1);
            assertThat(accepted.get(0).isOpen()).isTrue();
            await().until(() -> descriptors() <= open);
        }
    }
}
