package io.rocketbufs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rocketbufs.memory.MappedFile;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.RemoteBuffer;
import io.rocketbufs.rocketnet.Right;
import io.rocketbufs.rocketnet.TransportConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of rights to parts of regions, to the extent that the transport enforces these rights. */
class GrantContract extends FetchFixture {
    private static final int START = 4096;
    private static final int PART = 8192;
    private static final Set<Right> BOTH = EnumSet.of(Right.READ, Right.WRITE);

    GrantContract(Stage stage) {
        super(stage);
    }

    GrantContract(Stage stage, SharedMemory shared) {
        super(stage, shared);
    }

    private static void put(BarePair pair, RemoteBuffer remote) {
        pair.near().put(remote, 0, 0, 100);
    }

    private static void read(BarePair pair, RemoteBuffer remote) {
        pair.near().read(remote, 0, 0, 100);
    }

    private static void add(BarePair pair, RemoteBuffer remote) {
        pair.near().fetchAdd(remote, 0, 1);
    }

    private static void swap(BarePair pair, RemoteBuffer remote) {
        pair.near().compareSwap(remote, 0, 0, 1);
    }

    /**
     * Checks that an operation breaks the connection and changes nothing or, if the transport shares the memory, that
     * the operation is impossible.
     */
    private void refused(Set<Right> rights, BiConsumer<BarePair, RemoteBuffer> operation) {
        BarePair pair = pair();
        RemoteBuffer remote = shares() ? pair.granted(0, LENGTH, rights) : pair.granted(START, PART, rights);
        pair.near().window().putLong(0, 42);
        byte[] own = bytes(pair.near(), 0, LENGTH);
        if (shares()) {
            assertThatThrownBy(() -> operation.accept(pair, remote))
                    .hasRootCauseInstanceOf(UnsupportedOperationException.class);
        } else {
            operation.accept(pair, remote);
            pair.awaitFailure();
        }
        pair.close();
        assertZero(pair.far(), 0, LENGTH);
        assertThat(bytes(pair.near(), 0, LENGTH)).isEqualTo(own);
        assertThat(pair.near().fetchedCount()).isZero();
        pair.revoke(remote);
    }

    @Test
    void shouldRefuseToReadWhatMayOnlyBeWritten() {
        need(Right.READ);
        refused(Set.of(Right.WRITE), GrantContract::read);
    }

    @Test
    void shouldRefuseToWriteWhatMayOnlyBeRead() {
        need(Right.READ);
        refused(Set.of(Right.READ), GrantContract::put);
    }

    @Test
    void shouldRefuseAtomicOperationsOnWhatMayOnlyBeRead() {
        need(Right.READ);
        need(Right.ATOMIC);
        refused(Set.of(Right.READ), GrantContract::add);
        refused(Set.of(Right.READ), GrantContract::swap);
    }

    @Test
    void shouldReachBothEdgesOfThePart() {
        need(Right.READ);
        BarePair pair = pair();
        RemoteBuffer remote = pair.granted(START, PART, BOTH);
        byte[] expected = random(pair.far(), START, PART);
        for (int[] range : new int[][] {{0, 1}, {0, 7}, {PART - 1, 1}, {PART - 7, 7}, {0, PART}}) {
            pair.near().result(pair.near().read(remote, range[0], 0, range[1]));
            assertThat(bytes(pair.near(), 0, range[1])).isEqualTo(bytes(pair.far(), START + range[0], range[1]));
        }
        pair.near().window().put(0, (byte) 1).put(1, (byte) 2);
        pair.near().put(remote, 0, 0, 1);
        pair.near().put(remote, PART - 1, 1, 1);
        pair.awaitAll();
        expected[0] = 1;
        expected[PART - 1] = 2;
        assertThat(bytes(pair.far(), START, PART)).isEqualTo(expected);
        assertZero(pair.far(), 0, START);
        assertZero(pair.far(), START + PART, LENGTH - START - PART);
        pair.revoke(remote);
    }

    @Test
    void shouldRefuseToReadBeyondSharedMemory() {
        assumeTrue(shares(), "the transport does not share whole memory");
        for (int[] range : new int[][] {{LENGTH - 99, 100}, {LENGTH, 1}, {-1, 1}}) {
            refused(
                    Set.of(Right.READ),
                    (pair, remote) ->
                            pair.near().read(pair.usable(remote.access(), 2L * LENGTH), range[0], 0, range[1]));
        }
    }

    @Test
    void shouldRefuseToReadBeyondThePart() {
        needTransport();
        need(Right.READ);
        refused(
                Set.of(Right.READ),
                (pair, remote) -> pair.near().read(pair.usable(remote.access(), 2 * PART), PART - 99, 0, 100));
        refused(
                Set.of(Right.READ),
                (pair, remote) -> pair.near().read(pair.usable(remote.access(), 2 * PART), PART, 0, 1));
        refused(Set.of(Right.READ), (pair, remote) -> {
            RemoteAccess before = new RemoteAccess(
                    remote.access().address() - 1, remote.access().key());
            pair.near().read(pair.usable(before, PART), 0, 0, 100);
        });
    }

    @Test
    void shouldRefuseAKeyThatWasNotGranted() {
        need(Right.READ);
        for (long distance : new long[] {-1, 1, 1000}) {
            refused(Set.of(Right.READ), (pair, remote) -> {
                RemoteAccess guessed = new RemoteAccess(
                        remote.access().address(), remote.access().key() + distance);
                pair.near().read(pair.usable(guessed, PART), 0, 0, 100);
            });
        }
    }

    @Test
    void shouldKeepTwoGrantsOfOneRegionApart() {
        need(Right.READ);
        BarePair pair = pair();
        RemoteBuffer readable = pair.granted(START, PART, Set.of(Right.READ));
        RemoteBuffer writable = pair.granted(START, PART, Set.of(Right.WRITE));
        byte[] bytes = random(pair.near(), 0, PART);
        pair.near().put(writable, 0, 0, PART);
        pair.near().result(pair.near().read(readable, 0, PART, PART));
        assertThat(bytes(pair.near(), PART, PART)).isEqualTo(bytes);
        pair.revoke(writable);
        pair.near().result(pair.near().read(readable, 1, PART, 10));
        assertThat(bytes(pair.near(), PART, 10)).isEqualTo(bytes(pair.near(), 1, 10));
        pair.revoke(readable);
    }

    @Test
    void shouldGrantManyPartsOfOneRegion() {
        need(Right.READ);
        int count = 2048;
        BarePair pair = pair();
        byte[] expected = random(pair.far(), 0, count * 8);
        List<RemoteBuffer> parts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            parts.add(pair.granted(8L * i, 8, Set.of(Right.READ)));
        }
        assertThat(parts.stream().map(RemoteBuffer::access)).doesNotHaveDuplicates();
        long last = 0;
        for (int i = count - 1; i >= 0; i--) {
            last = pair.near().read(parts.get(i), 0, 8 * i, 8);
        }
        pair.near().result(last);
        Stage.eventually(() -> pair.near().fetchedCount() == count);
        assertThat(bytes(pair.near(), 0, count * 8)).isEqualTo(expected);
        parts.forEach(pair::revoke);
    }

    @Test
    void shouldRefuseMeaninglessGrants() {
        needTransport();
        TransportConnection connection = pair().far().connection();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> connection.grant(region(100), 0, 10, EnumSet.noneOf(Right.class)));
        need(Right.READ);
        for (long[] part : new long[][] {{-1, 10}, {0, 0}, {0, LENGTH + 1}, {Long.MAX_VALUE, 10}}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> connection.grant(region(100), part[0], part[1], BOTH));
        }
        need(Right.ATOMIC);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> connection.grant(region(100), 4, 16, Set.of(Right.ATOMIC)));
    }

    @Test
    void shouldGrantAFileForReadingThatCanOnlyBeRead(@TempDir Path directory) throws Exception {
        needTransport();
        need(Right.READ);
        Path path = Files.write(directory.resolve("file"), new byte[] {1, 2, 3, 4, 5});
        BarePair pair = pair();
        try (MappedFile file = MappedFile.openReadOnly(path)) {
            for (Set<Right> rights : List.of(Set.of(Right.WRITE), BOTH)) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> pair.far().connection().grant(file.region(), 0, 5, rights))
                        .withMessageContaining("read-only");
                assertThat(owner().refusal(file.region(), rights)).contains("read-only");
            }
            assertThat(owner().refusal(file.region(), Set.of(Right.READ))).isNull();
            RemoteAccess access = pair.far().connection().grant(file.region(), 0, 5, Set.of(Right.READ));
            pair.near().result(pair.near().read(pair.usable(access, 5), 1, 0, 4));
            assertThat(bytes(pair.near(), 0, 5)).containsExactly(2, 3, 4, 5, 0);
            pair.far().connection().revoke(access);
        }
    }
}
