package io.rocketbufs.contract;

import static io.rocketbufs.contract.Stage.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import io.rocketbufs.Connection;
import io.rocketbufs.Grant;
import io.rocketbufs.RemoteMemory;
import io.rocketbufs.Role;
import io.rocketbufs.memory.MappedFile;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.options.Posted;
import io.rocketbufs.options.RemoteMemoryCallback;
import io.rocketbufs.rocketnet.Capabilities.Operation;
import io.rocketbufs.rocketnet.Right;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests that reads of granted memory call no application code of the memory's owner, and that no thread of the owner
 * allocates heap memory for them. This applies whether the transport, the owner's core or the reading process carries
 * out the reads.
 */
class ReadCostContract implements RemoteMemoryCallback {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int AREA = 1 << 16;
    private static final int LENGTH = 64;
    /** Number of reads in a round. A round is so short that the owner's clock ticks in few of them. */
    private static final int PER_ROUND = 500;

    private static final int MOST_WARM_UPS = 40;
    private static final long PATIENCE_MS = 60_000;

    private final Stage stage;
    private final boolean shares;
    private final boolean allocates;
    /** Contains all threads of the owner: each thread belongs to the group of the thread that created it. */
    private final ThreadGroup owners = new ThreadGroup("owner");

    private final MemoryPool pool = new MemoryPool(1 << 20);
    private final Region local = pool.allocate(AREA);
    private final AtomicLong calls = new AtomicLong();
    private volatile long completed;
    private long posted;
    private Connection owner;
    private Connection user;
    private Grant grant;

    /**
     * @param shares true if the transport shares files with processes on this machine
     * @param allocates true if the transport allocates objects for each operation, because it is a test double
     */
    ReadCostContract(Stage stage, boolean shares, boolean allocates) {
        this.stage = stage;
        this.shares = shares;
        this.allocates = allocates;
    }

    @BeforeEach
    void connect() {
        Node owning = Stage.get(
                CompletableFuture.supplyAsync(this::openOwner, task -> new Thread(owners, task, "owner").start()));
        user = stage.node().connect(owning, Role.PEER, connection -> {});
        eventually(() -> !owning.accepted().isEmpty());
        owner = owning.lastAccepted();
        CompletableFuture<ThreadGroup> worker = new CompletableFuture<>();
        owner.execute(() -> worker.complete(Thread.currentThread().getThreadGroup()));
        assertThat(Stage.get(worker)).isSameAs(owners);
    }

    private Node openOwner() {
        Node owning = stage.node();
        owning.address();
        return owning;
    }

    @AfterEach
    void release() {
        if (grant != null) {
            Stage.get(grant.revoke(PATIENCE_MS));
        }
        local.release();
        eventually(() -> pool.allocatedLength() == 0);
        pool.close();
    }

    @Override
    public void onCompleted(long context, long value) {
        completed = context;
    }

    @Test
    void shouldCostTheOwnerNothing() {
        checkMemoryOfAPool(20_000);
    }

    @Test
    @Tag("slow")
    void shouldCostTheOwnerNothingForAMillionReads() {
        checkMemoryOfAPool(1_000_000);
    }

    @Test
    void shouldCostTheOwnerOfASharedFileNothing() throws Exception {
        checkSharedFile(20_000);
    }

    @Test
    @Tag("slow")
    void shouldCostTheOwnerOfASharedFileNothingForAMillionReads() throws Exception {
        checkSharedFile(1_000_000);
    }

    private void checkMemoryOfAPool(int count) {
        Region region = pool.allocate(AREA);
        grant(region);
        region.release();
        check(region, false, count);
    }

    private void checkSharedFile(int count) throws Exception {
        assumeTrue(shares, "the transport does not share files");
        try (MappedFile file = MappedFile.memory("read", AREA)) {
            grant(file.region());
            check(file.region(), true, count);
        }
    }

    private void check(Region region, boolean isShared, int count) {
        byte[] content = new Pattern(1).first(AREA);
        ByteBuffer window = region.window(0, AREA);
        window.put(0, content);
        owner.setControlMessageCallback(message -> calls.incrementAndGet());
        RemoteMemory remote = user.remoteMemory(grant.description(), this);
        eventually(() -> !isShared || remote.isNative(Operation.READ), () -> "the file to arrive");
        for (int i = 0; i < MOST_WARM_UPS && !allocates && allocated(remote) > 0; i++) {
            assertThat(calls).hasValue(0);
        }
        // A test double shows only that core makes no calls, for which fewer reads suffice.
        long[] allocated = new long[(allocates ? count / 10 : count) / PER_ROUND];
        for (int i = 0; i < allocated.length; i++) {
            allocated[i] = allocated(remote);
        }
        assertThat(calls).as("calls of the owner's application").hasValue(0);
        if (!allocates) {
            // A tick of the owner's clock allocates a little, regardless of the number of reads.
            assertThat(Arrays.stream(allocated).filter(bytes -> bytes == 0).count())
                    .as("rounds without allocations among " + Arrays.toString(allocated))
                    .isGreaterThanOrEqualTo(allocated.length / 2);
        }
        byte[] read = new byte[AREA];
        local.window(0, AREA).get(0, read);
        assertThat(read).isEqualTo(content);
    }

    private void grant(Region region) {
        grant = owner.grant(region, 0, AREA, Set.of(Right.READ), (number, length) -> calls.incrementAndGet());
    }

    /** Returns the number of bytes that the owner's threads allocate during a round of reads. */
    private long allocated(RemoteMemory remote) {
        long before = allocatedByOwner();
        for (int i = 0; i < PER_ROUND; i++) {
            long context = ++posted;
            long offset = context * LENGTH % AREA;
            eventually(() -> remote.read(offset, LENGTH, local, offset, context) == Posted.POSTED);
        }
        eventually(() -> completed == posted);
        return allocatedByOwner() - before;
    }

    private long allocatedByOwner() {
        Thread[] threads = new Thread[owners.activeCount() + 16];
        int count = owners.enumerate(threads);
        long bytes = 0;
        for (int i = 0; i < count; i++) {
            bytes += THREADS.getThreadAllocatedBytes(threads[i].getId());
        }
        return bytes;
    }
}
