package io.rocketbufs.rocketnet.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.Right;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportException.Code;
import io.rocketbufs.rocketnet.rdma.ofi.Ofi;
import io.rocketbufs.rocketnet.rdma.ofi.OfiConstants;
import io.rocketbufs.rocketnet.rdma.ofi.OfiInfo;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the remote keys that peers use to write to granted memory. */
@Timeout(600)
final class RdmaKeysTest {
    private static final int NEIGHBOURS = 4;

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "sockets"})
    void shouldNotGiveAccessToMemoryOfOtherPeersWhenAPeerGuessesKeysNearItsOwn(String provider) throws Exception {
        try (RdmaEnds ends = new RdmaEnds("provider = " + provider)) {
            RdmaRecordingHandler before = ends.connect();
            RdmaRecordingHandler beforeAccepted = ends.accepted(0);
            for (int i = 1; i <= NEIGHBOURS; i++) {
                int distance = i;
                guess(ends, own -> own + distance);
                guess(ends, own -> own - distance);
                guess(ends, own -> distance);
            }
            RdmaRecordingHandler after = ends.connect();
            for (RdmaRecordingHandler other : List.of(before, beforeAccepted, after)) {
                assertThat(other.text(0, 6)).isEqualTo("\0".repeat(6));
            }
            before.writingTo(beforeAccepted).write(7, 0, "proper");
            beforeAccepted.awaitEvent("arrived 7 6");
        }
    }

    /** Over a new connection, writes to memory with a key guessed from the connection's own key. */
    private static void guess(RdmaEnds ends, LongUnaryOperator guessed) throws Exception {
        int number = ends.acceptedCount();
        RdmaRecordingHandler peer = ends.connect();
        RemoteAccess own = ends.accepted(number).granted();
        peer.writingTo(new RemoteAccess(own.address(), guessed.applyAsLong(own.key())))
                .write(1, 0, "guess!");
        peer.awaitFailure();
    }

    @Test
    void shouldChooseKeysThatArePositiveAndDifferInTheirUpperBits() {
        RdmaKeys keys = new RdmaKeys();
        Set<Long> upper = new HashSet<>();
        for (int i = 0; i < 10_000; i++) {
            long key = keys.getAsLong();
            assertThat(key).isPositive();
            upper.add(key >>> 16);
        }
        // Two of 10,000 random numbers of 47 bits are equal with a probability of less than one in a million.
        assertThat(upper).hasSizeGreaterThan(9_998);
    }

    @Test
    void shouldChooseAnotherKeyWhenOneIsInUse() {
        Iterator<Long> keys = List.of(5L, 5L, 5L, 7L).iterator();
        withMemory(keys::next, (memory, region) -> {
            assertThat(memory.grant(region, 0, 1, Right.ONLY_WRITE).key()).isEqualTo(5);
            assertThat(memory.grant(region, 0, 1, Right.ONLY_WRITE).key()).isEqualTo(7);
        });
    }

    @Test
    void shouldFailWhenTheProviderTakesEveryKeyForUsed() {
        withMemory(() -> 5, (memory, region) -> {
            memory.grant(region, 0, 1, Right.ONLY_WRITE);
            assertThatThrownBy(() -> memory.grant(region, 0, 1, Right.ONLY_WRITE))
                    .isInstanceOfSatisfying(
                            TransportException.class, e -> assertThat(e.code()).isEqualTo(Code.RESOURCES))
                    .hasMessageContaining("8 random remote keys were in use");
        });
    }

    private static void withMemory(LongSupplier keys, BiConsumer<RdmaMemory, Region> test) {
        Ofi ofi = Ofi.load("libfabric.so.1");
        OfiInfo info = RdmaProviders.find(ofi, "tcp", RdmaEnds.loopback(0), OfiConstants.FI_SOURCE);
        RdmaFabric fabric = RdmaFabric.open(ofi, info);
        long domain = ofi.domain(fabric.fid(), info);
        RdmaMemory memory = new RdmaMemory(ofi, domain, info, keys);
        try (MemoryPool pool = new MemoryPool(1 << 20)) {
            test.accept(memory, pool.allocate(1));
        } finally {
            memory.close();
            ofi.close(domain);
            ofi.close(fabric.fid());
            ofi.freeinfo(info);
        }
    }
}
