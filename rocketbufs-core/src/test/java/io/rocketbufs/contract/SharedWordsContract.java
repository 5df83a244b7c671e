package io.rocketbufs.contract;

import static io.rocketbufs.contract.Stage.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rocketbufs.AtomicCell;
import io.rocketbufs.Connection;
import io.rocketbufs.Grant;
import io.rocketbufs.RemoteMemory;
import io.rocketbufs.Role;
import io.rocketbufs.memory.MappedFile;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.options.GrantCallback;
import io.rocketbufs.options.Posted;
import io.rocketbufs.options.RemoteMemoryCallback;
import io.rocketbufs.options.Revocation;
import io.rocketbufs.rocketnet.Capabilities.Operation;
import io.rocketbufs.rocketnet.Right;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests of memory for words. Some transports let processes on this machine carry out atomic operations on this memory
 * themselves. With every transport, the operations of all sides are mutually atomic.
 */
class SharedWordsContract {
    private static final int LENGTH = 64;
    private static final int WORD = 16;
    private static final int ADDITIONS = 3000;
    private static final long PATIENCE_MS = 60_000;
    private static final String NAME = "words of a test";
    private static final Set<Right> BOTH = EnumSet.of(Right.ATOMIC, Right.READ);

    private final Stage stage;
    private final boolean shares;
    private final MemoryPool pool = new MemoryPool(1 << 20);
    private final Region local = pool.allocate(4096);
    private Node owning;
    private User user;
    private MappedFile memory;

    /** @param shares true if the transport shares memory with processes on this machine */
    SharedWordsContract(Stage stage, boolean shares) {
        this.stage = stage;
        this.shares = shares;
    }

    /** A connection between two nodes, with the results of the operations posted over it. */
    private static final class User implements RemoteMemoryCallback {
        private final Connection owner;
        private final Connection user;
        private final LinkedBlockingQueue<Long> results = new LinkedBlockingQueue<>();

        User(Node owning, Node using) {
            int before = owning.accepted().size();
            user = using.connect(owning, Role.PEER, connection -> {});
            eventually(() -> owning.accepted().size() > before);
            owner = owning.lastAccepted();
        }

        RemoteMemory open(Grant grant) {
            return user.remoteMemory(grant.description(), this);
        }

        @Override
        public void onCompleted(long context, long value) {
            results.add(value);
        }
    }

    @BeforeEach
    void connect() throws Exception {
        owning = stage.node();
        user = new User(owning, stage.node());
        memory = MappedFile.words(NAME, LENGTH);
    }

    @AfterEach
    void release() {
        memory.close();
        local.release();
        eventually(() -> pool.allocatedLength() == 0);
        pool.close();
    }

    private Grant grant(User to, Set<Right> rights) {
        return to.owner.grant(memory.region(), 0, LENGTH, rights, GrantCallback.NONE);
    }

    /** Opens memory for words, and waits until this process can change it, if the transport shares memory. */
    private RemoteMemory open(User by, Grant grant) {
        RemoteMemory remote = by.open(grant);
        if (shares) {
            eventually(() -> remote.isNative(Operation.FETCH_ADD), () -> "the memory to arrive");
            assertThat(remote.isNative(Operation.COMPARE_SWAP)).isTrue();
        }
        return remote;
    }

    private AtomicCell cell() {
        return user.owner.atomicCell(memory.region(), WORD);
    }

    private long add(User by, RemoteMemory remote, long addend) throws InterruptedException {
        Loan.post(() -> remote.fetchAdd(WORD, addend, 0));
        return by.results.take();
    }

    private static long result(CompletableFuture<Long> future) {
        assertThat(future).isDone();
        return future.join();
    }

    private static void revoke(Grant grant) {
        assertThat(Stage.get(grant.revoke(PATIENCE_MS))).isEqualTo(Revocation.CONFIRMED);
    }

    @Test
    void shouldChangeWordsAtOnceWhileTheOwnersWorkerIsStopped() {
        assumeTrue(shares, "the transport does not share memory");
        Grant grant = grant(user, Set.of(Right.ATOMIC));
        RemoteMemory remote = open(user, grant);
        CountDownLatch released = stop(user.owner);
        for (long number = 0; number < 1000; number += 2) {
            CompletableFuture<Long> added = new CompletableFuture<>();
            assertThat(remote.fetchAddDirectly(WORD, 1, added::complete)).isTrue();
            assertThat(result(added)).isEqualTo(number);
            assertThat(cell().value()).isEqualTo(number + 1);
            CompletableFuture<Long> refused = new CompletableFuture<>();
            assertThat(remote.compareSwapDirectly(WORD, number, 7, refused::complete))
                    .isTrue();
            assertThat(result(refused)).isEqualTo(number + 1);
            CompletableFuture<Long> swapped = new CompletableFuture<>();
            assertThat(remote.compareSwapDirectly(WORD, number + 1, number + 2, swapped::complete))
                    .isTrue();
            assertThat(result(swapped)).isEqualTo(number + 1);
            assertThat(cell().value()).isEqualTo(number + 2);
        }
        released.countDown();
        revoke(grant);
    }

    /** Stops a worker until the latch is released. */
    private static CountDownLatch stop(Connection connection) {
        CountDownLatch stopped = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        connection.execute(() -> {
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
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void shouldReturnWhatTheWordHeld() throws Exception {
        Grant grant = grant(user, BOTH);
        RemoteMemory remote = user.open(grant); // the memory may become directly usable between two operations
        long expected = 0;
        for (long addend : new long[] {1, -5, Long.MIN_VALUE, Long.MAX_VALUE, 0, 1L << 48}) {
            assertThat(add(user, remote, addend)).isEqualTo(expected);
            expected += addend;
            assertThat(cell().value()).isEqualTo(expected);
        }
        long last = expected;
        Loan.post(() -> remote.compareSwap(WORD, last + 1, 3, 0));
        Loan.post(() -> remote.compareSwap(WORD, last, 4, 0));
        Loan.post(() -> remote.read(WORD, Long.BYTES, local, 0, 0));
        assertThat(List.of(user.results.take(), user.results.take(), user.results.take()))
                .containsExactly(last, last, 8L);
        assertThat(local.window(0, 8).order(ByteOrder.nativeOrder()).getLong(0)).isEqualTo(4);
        assertThat(cell().value()).isEqualTo(4);
        revoke(grant);
    }

    /** Checks that no addition is lost: each number before an addition must occur exactly once. */
    @Test
    void shouldAddUpWhatTheOwnerAndSeveralUsersAdd() throws Exception {
        User other = new User(owning, stage.node());
        Grant first = grant(user, Set.of(Right.ATOMIC));
        Grant second = grant(other, Set.of(Right.ATOMIC));
        RemoteMemory posting = open(user, first);
        RemoteMemory direct = open(other, second);
        BitSet seen = new BitSet();
        List<Long> numbers = new ArrayList<>();
        CompletableFuture<List<Long>> directly = CompletableFuture.supplyAsync(() -> addDirectly(other, direct));
        CompletableFuture<Void> posted = CompletableFuture.runAsync(() -> {
            for (int i = 0; i < ADDITIONS; i++) {
                Loan.post(() -> posting.fetchAdd(WORD, 1, 0));
            }
        });
        AtomicCell cell = cell();
        for (int i = 0; i < ADDITIONS; i++) {
            cell.fetchAdd(1, number -> {
                synchronized (numbers) {
                    numbers.add(number);
                }
            });
        }
        Stage.get(posted);
        List<Long> others = Stage.get(directly);
        eventually(() -> user.results.size() == ADDITIONS && count(numbers) == ADDITIONS);
        numbers.addAll(user.results);
        numbers.addAll(others);
        numbers.forEach(number -> seen.set(number.intValue()));
        assertThat(seen.cardinality()).isEqualTo(3 * ADDITIONS);
        assertThat(cell().value()).isEqualTo(3 * ADDITIONS);
        revoke(first);
        revoke(second);
    }

    private static int count(List<Long> numbers) {
        synchronized (numbers) {
            return numbers.size();
        }
    }

    private static List<Long> addDirectly(User by, RemoteMemory remote) {
        List<Long> numbers = new ArrayList<>();
        for (int i = 0; i < ADDITIONS; i++) {
            if (!remote.fetchAddDirectly(WORD, 1, numbers::add)) {
                Loan.post(() -> remote.fetchAdd(WORD, 1, 0));
                eventually(() -> !by.results.isEmpty());
                numbers.add(by.results.remove());
            }
        }
        return numbers;
    }

    @Test
    void shouldNotOvertakeWhatHasBeenPosted() throws Exception {
        Grant grant = grant(user, Set.of(Right.ATOMIC));
        RemoteMemory remote = open(user, grant);
        CountDownLatch released = stop(user.user);
        assertThat(remote.fetchAdd(WORD, 5, 0)).isEqualTo(Posted.POSTED);
        assertThat(remote.fetchAddDirectly(WORD, 1, number -> {})).isFalse();
        assertThat(remote.compareSwapDirectly(WORD, 0, 1, number -> {})).isFalse();
        released.countDown();
        assertThat(user.results.take()).isZero();
        assertThat(cell().value()).isEqualTo(5);
        revoke(grant);
    }

    @Test
    void shouldRefuseWhatIsNoWord() throws Exception {
        Grant grant = grant(user, Set.of(Right.ATOMIC));
        RemoteMemory remote = open(user, grant);
        LongConsumer never = number -> {
            throw new AssertionError();
        };
        for (long offset : new long[] {-8, 1, 4, WORD + 1, LENGTH, LENGTH - 4, LENGTH + 8, Long.MAX_VALUE - 7}) {
            assertThatIllegalArgumentException().isThrownBy(() -> remote.fetchAddDirectly(offset, 1, never));
            assertThatIllegalArgumentException().isThrownBy(() -> remote.compareSwapDirectly(offset, 0, 1, never));
            assertThatIllegalArgumentException().isThrownBy(() -> remote.fetchAdd(offset, 1, 0));
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MappedFile.words("odd", 12))
                .withMessageContaining("12");
        assertThat(add(user, remote, 1)).isZero();
        revoke(grant);
    }

    @Test
    void shouldLetTheOwnersCoreChangeWhatIsNotShared() throws Exception {
        Region pooled = pool.allocate(4096);
        try (MappedFile file = MappedFile.memory("no words", 4096)) {
            List<Grant> grants = List.of(
                    user.owner.grant(memory.region(), 0, LENGTH, EnumSet.allOf(Right.class), GrantCallback.NONE),
                    user.owner.grant(memory.region(), 8, LENGTH - 8, BOTH, GrantCallback.NONE),
                    user.owner.grant(memory.region(), 0, LENGTH - 8, BOTH, GrantCallback.NONE),
                    user.owner.grant(file.region(), 0, 4096, BOTH, GrantCallback.NONE),
                    user.owner.grant(pooled, 0, pooled.length(), BOTH, GrantCallback.NONE));
            Grant whole = grant(user, Set.of(Right.ATOMIC));
            open(user, whole); // by then, the other grants would have become directly usable
            for (Grant grant : grants) {
                RemoteMemory remote = user.open(grant);
                assertThat(remote.fetchAddDirectly(WORD, 1, number -> {})).isFalse();
                long before = add(user, remote, 3);
                assertThat(add(user, remote, 4)).isEqualTo(before + 3);
                revoke(grant);
            }
            revoke(whole);
        } finally {
            pooled.release();
        }
    }

    @Test
    void shouldChangeNothingOnceTheRevocationHasBeenConfirmed() throws Exception {
        for (int round = 0; round < 20; round++) {
            Grant grant = grant(user, Set.of(Right.ATOMIC));
            RemoteMemory remote = open(user, grant);
            AtomicLong count = new AtomicLong();
            CompletableFuture<Void> adding = CompletableFuture.runAsync(() -> addUntilRevoked(remote, count));
            eventually(() -> count.get() > 10);
            revoke(grant);
            long after = cell().value();
            Stage.get(adding);
            assertThat(remote.fetchAddDirectly(WORD, 1, number -> {})).isFalse();
            assertThat(remote.fetchAdd(WORD, 1, 0)).isEqualTo(Posted.CLOSED);
            assertThat(cell().value()).isEqualTo(after);
        }
    }

    private static void addUntilRevoked(RemoteMemory remote, AtomicLong count) {
        Posted last = Posted.POSTED;
        while (last != Posted.CLOSED) {
            if (!remote.fetchAddDirectly(WORD, 1, number -> {})) {
                last = remote.fetchAdd(WORD, 1, 0);
            }
            count.incrementAndGet();
        }
    }

    /** Only the end of the connection makes the peer's process release the memory. */
    @Test
    void shouldEndTheConnectionOfAPeerThatDoesNotGiveBackSharedWords() {
        assumeTrue(shares, "the transport does not share memory");
        stage.expectFailures();
        Grant grant = grant(user, Set.of(Right.ATOMIC));
        RemoteMemory remote = open(user, grant);
        CountDownLatch released = stop(user.user);
        assertThat(Stage.get(grant.revoke(1))).isEqualTo(Revocation.FORCED);
        Stage.get(user.owner.closed());
        released.countDown();
        Stage.get(user.user.closed());
        assertThat(remote.fetchAddDirectly(WORD, 1, number -> {})).isFalse();
    }

    @Test
    void shouldNotChangeWordsThatAreGrantedToAnotherPeer() {
        assumeTrue(!stage.capabilities().offers(Right.ATOMIC), "a device's keys may be valid for all its connections");
        stage.expectFailures();
        User other = new User(owning, stage.node());
        Grant grant = grant(user, Set.of(Right.ATOMIC));
        RemoteMemory remote = open(user, grant);
        RemoteMemory stolen = other.open(grant);
        assertThat(stolen.isNative(Operation.FETCH_ADD)).isFalse();
        assertThat(stolen.fetchAddDirectly(WORD, 1, number -> {})).isFalse();
        assertThat(stolen.fetchAdd(WORD, 1, 0)).isEqualTo(Posted.POSTED);
        Stage.get(other.owner.closed());
        assertThat(cell().value()).isZero();
        assertThat(remote.isNative(Operation.FETCH_ADD)).isEqualTo(shares);
        revoke(grant);
    }

    @Test
    void shouldKeepWordsOfSeveralGrantsApart() throws Exception {
        try (MappedFile second = MappedFile.words("other words", LENGTH)) {
            Grant ofFirst = grant(user, Set.of(Right.ATOMIC));
            Grant ofSecond = user.owner.grant(second.region(), 0, LENGTH, Set.of(Right.ATOMIC), GrantCallback.NONE);
            RemoteMemory two = open(user, ofSecond);
            RemoteMemory one = open(user, ofFirst);
            add(user, one, 3);
            add(user, two, 40);
            add(user, one, 3);
            revoke(ofFirst);
            add(user, two, 40);
            assertThat(cell().value()).isEqualTo(6);
            assertThat(user.owner.atomicCell(second.region(), WORD).value()).isEqualTo(80);
            revoke(ofSecond);
        }
    }

    @Test
    void shouldKeepNoMappingAfterTheEndOfTheConnection() throws Exception {
        for (int i = 0; i < 20; i++) {
            add(user, open(user, grant(user, Set.of(Right.ATOMIC))), 1);
        }
        stage.expectFailures();
        user.owner.close();
        Stage.get(user.user.closed());
        Stage.get(user.owner.closed());
        memory.close();
        eventually(() -> mappedCount() == 0, () -> mappedCount() + " mappings are left");
    }

    private static long mappedCount() {
        try {
            return Files.readString(Path.of("/proc/self/maps"), StandardCharsets.ISO_8859_1)
                    .lines()
                    .filter(line -> line.contains(NAME))
                    .count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
