package io.rocketbufs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.Right;
import io.rocketbufs.rocketnet.Transport;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Two transports and connections between them, for tests of rights, reads and atomic operations. */
abstract class FetchFixture {
    /** Length of each end's region. */
    static final int LENGTH = 1 << 20;

    private final Stage stage;
    private final MemoryPool pool = new MemoryPool(16L << 20);
    private final List<BarePair> pairs = new ArrayList<>();
    private Transport user;
    private Transport owner;

    FetchFixture(Stage stage) {
        this.stage = stage;
    }

    @BeforeEach
    void open() {
        user = stage.transport(Stage.config());
        owner = stage.transport(Stage.config());
    }

    @AfterEach
    void close() {
        pairs.forEach(BarePair::close);
        pool.close();
    }

    Capabilities capabilities() {
        return owner.capabilities();
    }

    Transport owner() {
        return owner;
    }

    void need(Right right) {
        assumeTrue(capabilities().offers(right), () -> "right " + right);
    }

    Region region(int length) {
        return pool.allocate(length);
    }

    /** Returns another connection between the two transports. */
    BarePair pair() {
        return pair(region(LENGTH));
    }

    /** Returns another connection, whose far end owns this region. */
    BarePair pair(Region far) {
        return pair(region(LENGTH), far);
    }

    BarePair pair(Region near, Region far) {
        return connect(user, near, far);
    }

    /** Returns another connection, whose near end has a transport of its own. */
    BarePair strangerPair(Region far) {
        return connect(stage.transport(Stage.config()), region(LENGTH), far);
    }

    private BarePair connect(Transport from, Region near, Region far) {
        BarePair pair = BarePair.connect(stage, from, owner, near, far);
        pairs.add(pair);
        return pair;
    }

    static byte[] random(BareEnd end, int offset, int length) {
        byte[] bytes = new Pattern(length).first(length);
        end.window().put(offset, bytes);
        return bytes;
    }

    static byte[] bytes(BareEnd end, int offset, int length) {
        byte[] bytes = new byte[length];
        end.window().get(offset, bytes);
        return bytes;
    }

    static void assertZero(BareEnd end, int offset, int length) {
        assertThat(bytes(end, offset, length)).isEqualTo(new byte[length]);
    }

    /** Stops the worker of an end until the latch is released. */
    static CountDownLatch stopWorker(BareEnd end) {
        CountDownLatch released = new CountDownLatch(1);
        CountDownLatch stopped = new CountDownLatch(1);
        end.connection().worker().execute(() -> {
            stopped.countDown();
            await(released);
        });
        await(stopped);
        return released;
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
