package io.rocketbufs.contract;

import static io.rocketbufs.contract.Stage.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.rocketbufs.memory.Region;
import io.rocketbufs.rocketnet.AtomicWord;
import io.rocketbufs.rocketnet.RemoteBuffer;
import io.rocketbufs.rocketnet.Right;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests of atomic operations on the peer's words. */
class AtomicContract extends FetchFixture {
    private static final int PEERS = 4;
    /** Maximum number of the owner's additions that have no result yet. */
    private static final int MOST_PENDING = 2_000;

    private static final int LOCKS = 50;
    private static final int WORD = 4104;

    AtomicContract(Stage stage) {
        super(stage);
    }

    AtomicContract(Stage stage, SharedMemory shared) {
        super(stage, shared);
    }

    @BeforeEach
    void needAtomics() {
        need(Right.ATOMIC);
    }

    private static long word(BareEnd end, int offset) {
        return end.window().duplicate().order(ByteOrder.nativeOrder()).getLong(offset);
    }

    private static void word(BareEnd end, int offset, long value) {
        end.window().duplicate().order(ByteOrder.nativeOrder()).putLong(offset, value);
    }

    /** Grants two words, or shares the whole memory if the transport shares memory. */
    private RemoteBuffer granted(BarePair pair) {
        return shares() ? pair.granted(0, LENGTH, Set.of(Right.ATOMIC)) : pair.granted(WORD, 16, Set.of(Right.ATOMIC));
    }

    /** Returns the offset of a word in the memory that {@link #granted} returns. */
    private long at(long offset) {
        return shares() ? WORD + offset : offset;
    }

    @Test
    void shouldAddAndReturnTheNumberBefore() {
        BarePair pair = pair();
        RemoteBuffer remote = granted(pair);
        word(pair.far(), WORD + 8, 40);
        assertThat(pair.near().result(pair.near().fetchAdd(remote, at(8), 2))).isEqualTo(40);
        assertThat(pair.near().result(pair.near().fetchAdd(remote, at(8), -50))).isEqualTo(42);
        assertThat(pair.near().result(pair.near().fetchAdd(remote, at(8), Long.MIN_VALUE)))
                .isEqualTo(-8);
        assertThat(pair.near().result(pair.near().fetchAdd(remote, at(8), 0))).isEqualTo(Long.MIN_VALUE - 8);
        assertThat(word(pair.far(), WORD + 8)).isEqualTo(Long.MIN_VALUE - 8);
        assertZero(pair.far(), 0, WORD + 8);
        assertZero(pair.far(), WORD + 16, 64);
        pair.revoke(remote);
    }

    @Test
    void shouldSwapOnlyWhatIsExpected() {
        BarePair pair = pair();
        RemoteBuffer remote = granted(pair);
        for (long value : new long[] {0, 1, -1, 1L << 32, Long.MIN_VALUE, 0x0102030405060708L}) {
            word(pair.far(), WORD, value);
            assertThat(pair.near().result(pair.near().compareSwap(remote, at(0), value + 1, 7)))
                    .isEqualTo(value);
            assertThat(word(pair.far(), WORD)).isEqualTo(value);
            assertThat(pair.near().result(pair.near().compareSwap(remote, at(0), value, ~value)))
                    .isEqualTo(value);
            assertThat(word(pair.far(), WORD)).isEqualTo(~value);
        }
        pair.revoke(remote);
    }

    @Test
    void shouldRefuseWhatIsNoWord() {
        needTransport();
        BarePair pair = pair();
        RemoteBuffer remote = pair.granted(WORD, 16, Set.of(Right.ATOMIC));
        for (long offset : new long[] {-8, 1, 4, 9, 16, 24, Long.MAX_VALUE - 7}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> pair.near().connection().fetchAdd(remote, offset, 1, 0))
                    .withMessageContaining("remoteOffset=" + offset);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> pair.near().connection().compareSwap(remote, offset, 0, 1, 0));
        }
        assertThat(pair.near().result(pair.near().fetchAdd(remote, 8, 1))).isZero();
        pair.revoke(remote);
    }

    @Test
    void shouldAddUpTheAdditionsOfPeersAndOwner() {
        checkSum(2_000);
    }

    @Test
    @Tag("slow")
    void shouldAddUpAMillionAdditionsOfPeersAndOwner() {
        checkSum(1_000_000 / (PEERS + 1));
    }

    /**
     * Checks that no addition is lost: each number before an addition must occur exactly once.
     *
     * @param count number of additions by each peer and by the owner
     */
    private void checkSum(int count) {
        Region shared = region(LENGTH);
        List<BarePair> peers = new ArrayList<>();
        for (int i = 0; i < PEERS; i++) {
            peers.add(pair(shared));
        }
        BareEnd owner = peers.get(0).far();
        List<CompletableFuture<List<Long>>> additions = new ArrayList<>();
        for (BarePair peer : peers) {
            RemoteBuffer remote = granted(peer);
            additions.add(CompletableFuture.supplyAsync(() -> additions(peer.near(), remote, count)));
        }
        AtomicWord word = owner.connection().atomicWord(shared, WORD);
        BlockingQueue<Long> own = new LinkedBlockingQueue<>();
        for (int i = 0; i < count; i++) {
            word.fetchAdd(1, own::add);
            int least = i - MOST_PENDING;
            eventually(() -> own.size() >= least);
        }
        eventually(() -> own.size() == count);
        BitSet seen = new BitSet();
        own.forEach(before -> seen.set(before.intValue()));
        additions.forEach(each -> Stage.get(each).forEach(before -> {
            assertThat(seen.get(before.intValue())).as("number %d", before).isFalse();
            seen.set(before.intValue());
        }));
        int total = (PEERS + 1) * count;
        assertThat(word.value()).isEqualTo(total);
        assertThat(seen.cardinality()).isEqualTo(total);
    }

    private List<Long> additions(BareEnd end, RemoteBuffer remote, int count) {
        List<Long> contexts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            contexts.add(end.fetchAdd(remote, at(0), 1));
        }
        return contexts.stream().map(end::result).toList();
    }

    /** Makes the owner and a peer count alternately. Each replaces the number that it expects with the next number. */
    @Test
    void shouldLetTheOwnerTakePart() {
        BarePair pair = pair();
        RemoteBuffer remote = granted(pair);
        AtomicWord word = pair.far().connection().atomicWord(pair.far().region(), WORD);
        for (long number = 0; number < 200; number += 2) {
            assertThat(pair.near().result(pair.near().compareSwap(remote, at(0), number, number + 1)))
                    .isEqualTo(number);
            assertThat(compareSwap(word, number, 0)).isEqualTo(number + 1);
            assertThat(compareSwap(word, number + 1, number + 2)).isEqualTo(number + 1);
            assertThat(word.value()).isEqualTo(number + 2);
        }
        pair.revoke(remote);
    }

    private static long compareSwap(AtomicWord word, long expected, long desired) {
        CompletableFuture<Long> before = new CompletableFuture<>();
        word.compareSwap(expected, desired, before::complete);
        return Stage.get(before);
    }

    /** Reads the number that the lock protects, increases it and puts it back. Releases the lock after the put. */
    @Test
    void shouldServeAsALock() {
        need(Right.READ);
        Region shared = region(LENGTH);
        BarePair first = pair(shared);
        BarePair second = pair(shared);
        List<CompletableFuture<Void>> threads = new ArrayList<>();
        for (BarePair each : List.of(first, second)) {
            RemoteBuffer remote = each.granted(0, 16, EnumSet.allOf(Right.class));
            threads.add(CompletableFuture.runAsync(() -> countBehindALock(each.near(), remote)));
        }
        threads.forEach(Stage::get);
        assertThat(first.far().window().getLong(8)).isEqualTo(2L * LOCKS);
        assertThat(word(first.far(), 0)).isZero();
    }

    private static void countBehindALock(BareEnd end, RemoteBuffer remote) {
        for (int i = 0; i < LOCKS; i++) {
            while (end.result(end.compareSwap(remote, 0, 0, 1)) != 0) {
                Thread.onSpinWait();
            }
            end.result(end.read(remote, 8, 64, 8));
            end.window().putLong(0, end.window().getLong(64) + 1);
            end.put(remote, 8, 0, 8);
            assertThat(end.result(end.compareSwap(remote, 0, 1, 0))).isEqualTo(1);
            eventually(end::isComplete);
        }
    }
}
