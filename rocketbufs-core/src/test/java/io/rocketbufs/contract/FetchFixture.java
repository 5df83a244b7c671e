package io.rocketbufs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rocketbufs.memory.MappedFile;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.Right;
import io.rocketbufs.rocketnet.Transport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * Two transports and connections between them, for tests of rights, reads and atomic operations. Either the transport
 * carries out the operations, or this process carries them out on memory that the transport shares.
 */
abstract class FetchFixture {
    /** Length of each end's region. */
    static final int LENGTH = 1 << 20;

    private final Stage stage;
    /** Creates memory that the transport shares; null if the transport carries out the operations. */
    private final SharedMemory shared;

    private final List<MappedFile> files = new ArrayList<>();
    private final MemoryPool pool = new MemoryPool(16L << 20);
    private final List<BarePair> pairs = new ArrayList<>();
    private Transport user;
    private Transport owner;

    /** A factory for memory that the transport shares. */
    interface SharedMemory {
        MappedFile make(long length) throws IOException;
    }

    FetchFixture(Stage stage) {
        this(stage, null);
    }

    /** @param shared creates memory that the transport shares; null if the transport carries out the operations */
    FetchFixture(Stage stage, SharedMemory shared) {
        this.stage = stage;
        this.shared = shared;
    }

    @BeforeEach
    void open() {
        user = stage.transport(Stage.config());
        owner = stage.transport(Stage.config());
    }

    @AfterEach
    void close() {
        pairs.forEach(BarePair::close);
        files.forEach(MappedFile::close);
        pool.close();
    }

    Capabilities capabilities() {
        return owner.capabilities();
    }

    Transport owner() {
        return owner;
    }

    /** Returns true if this process carries out the operations, on whole memory that the transport shares. */
    boolean shares() {
        return shared != null;
    }

    void need(Right right) {
        assumeTrue(
                capabilities().offers(right) || shares() && right != Right.WRITE,
                () -> "the transport does not offer the right " + right);
    }

    /** Skips the test unless the transport carries out the operations. */
    void needTransport() {
        assumeFalse(shares(), "this process carries out the operations");
    }

    /** Returns the length of the longest read that the tests use. */
    int longestRead() {
        return shares() ? LENGTH : capabilities().longestRead();
    }

    Region region(int length) {
        return shares() ? sharedRegion(length) : pool.allocate(length);
    }

    private Region sharedRegion(int length) {
        try {
            MappedFile file = shared.make(length);
            files.add(file);
            return file.region();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns another connection between the two transports. */
    BarePair pair() {
        return pair(region(LENGTH));
    }

    /** Returns another connection, whose far end owns the given region. */
    BarePair pair(Region far) {
        return pair(region(LENGTH), far);
    }

    BarePair pair(Region near, Region far) {
        return connect(user, near, far);
    }

    /** Returns another connection, whose near end uses a separate transport. */
    BarePair strangerPair(Region far) {
        return connect(stage.transport(Stage.config()), region(LENGTH), far);
    }

    private BarePair connect(Transport from, Region near, Region far) {
        BarePair pair = BarePair.connect(stage, from, owner, near, far, shares());
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

    /** Stops an end's worker until the latch is released. */
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
