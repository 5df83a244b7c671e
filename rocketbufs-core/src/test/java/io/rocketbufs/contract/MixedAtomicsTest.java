package io.rocketbufs.contract;

import static io.rocketbufs.contract.Stage.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.AtomicCell;
import io.rocketbufs.Connection;
import io.rocketbufs.RemoteMemory;
import io.rocketbufs.Role;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.options.GrantCallback;
import io.rocketbufs.options.RemoteMemoryCallback;
import io.rocketbufs.rocketnet.Capabilities.Operation;
import io.rocketbufs.rocketnet.Right;
import io.rocketbufs.rocketnet.loopback.LoopbackNetwork;
import io.rocketbufs.rocketnet.loopback.LoopbackOptions;
import java.util.BitSet;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests of one word that two peers change at the same time. One peer uses a transport that supports atomic operations.
 * The other peer uses a transport that lacks them, so the owner's core executes its operations.
 */
@Timeout(600)
class MixedAtomicsTest {
    private static final int LENGTH = 4096;
    private static final int WORD = 64;
    private static final int ADDITIONS = 3000;
    private static final int ROUNDS = 50;
    /** Number of compare-and-swap operations that a peer posts without waiting for the result of the first. */
    private static final int AT_ONCE = 16;

    private final LoopbackNetwork withAtomics = new LoopbackNetwork(
            LoopbackOptions.oneSided().longestControl(16 * 1024).socketCapacity(32 * 1024));
    private final LoopbackNetwork withoutAtomics = new LoopbackNetwork(
            LoopbackOptions.socket().longestControl(16 * 1024).socketCapacity(32 * 1024));
    private final Stage stage = new Stage(
            config -> withAtomics.transport("with-atomics"),
            config -> withoutAtomics.transport("without-atomics"),
            "127.0.0.1",
            () -> {});
    private final MemoryPool pool = new MemoryPool(1 << 20);
    private final Region region = pool.allocate(LENGTH);
    private Peer nativePeer;
    private Peer emulatedPeer;
    private AtomicCell cell;

    /** A peer that has been granted the word. */
    private final class Peer implements RemoteMemoryCallback {
        private final BlockingQueue<Result> results = new LinkedBlockingQueue<>();
        private final Connection owner;
        private final RemoteMemory remote;

        Peer(Node owning, Node using) {
            int before = owning.accepted().size();
            Connection user = using.connect(owning, Role.PEER, connection -> {});
            eventually(() -> owning.accepted().size() > before);
            owner = owning.lastAccepted();
            remote = user.remoteMemory(
                    owner.grant(region, 0, LENGTH, Set.of(Right.ATOMIC), GrantCallback.NONE)
                            .description(),
                    this);
        }

        @Override
        public void onCompleted(long context, long value) {
            results.add(new Result(context, value));
        }

        void add() {
            for (int i = 0; i < ADDITIONS; i++) {
                Loan.post(() -> remote.fetchAdd(WORD, 1, 0));
            }
            eventually(() -> results.size() == ADDITIONS);
        }

        /**
         * Counts up, in each round from the last known number. Returns how many numbers this peer has replaced with the
         * next one.
         */
        int countUp() {
            int count = 0;
            long known = 0;
            for (int round = 0; round < ROUNDS; round++) {
                long first = known;
                for (int i = 0; i < AT_ONCE; i++) {
                    long expected = first + i;
                    Loan.post(() -> remote.compareSwap(WORD, expected, expected + 1, expected));
                }
                eventually(() -> results.size() == AT_ONCE);
                for (Result result : results) {
                    count += result.isSwapped() ? 1 : 0;
                    known = Math.max(known, result.isSwapped() ? result.expected + 1 : result.before);
                }
                results.clear();
            }
            return count;
        }
    }

    /** The result of an operation. Only compare-and-swap operations have an expected number. */
    private record Result(long expected, long before) {
        boolean isSwapped() {
            return expected == before;
        }
    }

    @BeforeEach
    void connect() {
        Node owner = stage.broker(Stage.config());
        nativePeer = new Peer(owner, stage.node());
        emulatedPeer = new Peer(owner, stage.subscriber(Stage.config()));
        for (Operation operation : Set.of(Operation.FETCH_ADD, Operation.COMPARE_SWAP)) {
            assertThat(nativePeer.remote.isNative(operation)).isTrue();
            assertThat(emulatedPeer.remote.isNative(operation)).isFalse();
        }
        cell = nativePeer.owner.atomicCell(region, WORD);
    }

    @AfterEach
    void close() {
        region.release();
        try {
            stage.close();
        } finally {
            withAtomics.close();
            withoutAtomics.close();
            pool.close();
        }
    }

    @Test
    void shouldLoseNoAdditionOfNativeAndEmulatedPeers() {
        CompletableFuture<Void> adding = CompletableFuture.allOf(
                CompletableFuture.runAsync(nativePeer::add), CompletableFuture.runAsync(emulatedPeer::add));
        BitSet seen = new BitSet();
        eventually(() -> {
            for (int i = 0; i < 1000; i++) {
                cell.fetchAdd(1, before -> seen.set((int) before));
            }
            return adding.isDone();
        });
        Stage.get(adding);
        int own = seen.cardinality();
        nativePeer.results.forEach(result -> seen.set((int) result.before));
        emulatedPeer.results.forEach(result -> seen.set((int) result.before));
        assertThat(seen.cardinality()).isEqualTo(own + 2 * ADDITIONS);
        assertThat(cell.value()).isEqualTo(own + 2L * ADDITIONS);
    }

    @Test
    void shouldLoseNoSwapOfNativeAndEmulatedPeers() {
        CompletableFuture<Integer> ofNative = CompletableFuture.supplyAsync(nativePeer::countUp);
        CompletableFuture<Integer> ofEmulated = CompletableFuture.supplyAsync(emulatedPeer::countUp);
        assertThat(Stage.get(ofNative) + Stage.get(ofEmulated)).isPositive().isEqualTo((int) cell.value());
    }
}
