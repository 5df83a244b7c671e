package io.rocketbufs.contract;

import static io.rocketbufs.contract.Stage.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.AtomicCell;
import io.rocketbufs.Connection;
import io.rocketbufs.Grant;
import io.rocketbufs.RemoteMemory;
import io.rocketbufs.contract.Loan.Completed;
import io.rocketbufs.contract.Loan.Written;
import io.rocketbufs.memory.MappedFile;
import io.rocketbufs.options.GrantCallback;
import io.rocketbufs.options.Posted;
import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.Capabilities.Operation;
import io.rocketbufs.rocketnet.Right;
import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that the peer can write, read and count in granted memory, regardless of the operations that the transport
 * supports.
 */
class RemoteMemoryContract {
    private static final Set<Right> ALL = EnumSet.allOf(Right.class);

    private final Stage stage;
    private Node owning;
    private Loan loan;

    RemoteMemoryContract(Stage stage) {
        this.stage = stage;
    }

    @BeforeEach
    void connect() {
        owning = stage.node();
        loan = Loan.between(owning, stage.node());
    }

    @AfterEach
    void release() {
        loan.checkMargins();
        if (loan.grant() != null) {
            Stage.get(loan.grant().revoke(60_000));
        }
        loan.release();
    }

    /** Grants all rights that can be granted over the transport, natively or by emulation. */
    private Loan grantAll() {
        return loan.grant(ALL);
    }

    @Test
    void shouldWriteToThePlacesThatTheWriterChooses() {
        grantAll();
        byte[] expected = new byte[Loan.LENGTH];
        byte[] bytes = loan.fillLocal(1);
        Random random = new Random(2);
        List<Written> told = new ArrayList<>();
        for (int length : new int[] {0, 1, 7, 8, 64, 1000, 65_536, 300_000, Loan.LENGTH - 1, Loan.LENGTH, 0, 5}) {
            int from = random.nextInt(Loan.LENGTH - length + 1);
            int to = random.nextInt(Loan.LENGTH - length + 1);
            int number = random.nextInt(RemoteMemory.MAX_NUMBER + 1);
            loan.write(from, length, to, number);
            System.arraycopy(bytes, from, expected, to, length);
            told.add(new Written(number, length));
        }
        assertThat(loan.awaitWrites(told.size())).isEqualTo(told);
        assertThat(loan.grantedBytes(0, Loan.LENGTH)).isEqualTo(expected);
        eventually(() -> loan.remote().completedWrites() == told.size());
    }

    @Test
    void shouldReportManyWritesInOrder() {
        grantAll();
        int count = 5000;
        byte[] bytes = loan.fillLocal(3);
        for (int i = 0; i < count; i++) {
            loan.write(i * 100, 100, i * 100, i);
        }
        List<Written> told = loan.awaitWrites(count);
        for (int i = 0; i < count; i++) {
            assertThat(told.get(i)).isEqualTo(new Written(i, 100));
        }
        assertThat(loan.grantedBytes(0, count * 100)).isEqualTo(Arrays.copyOf(bytes, count * 100));
    }

    @Test
    void shouldReadWhatIsInTheMemory() {
        grantAll();
        byte[] content = loan.fillGranted(4);
        int context = 0;
        for (int length : new int[] {1, 7, 8, 64, 1000, 65_536, 300_000, Loan.LENGTH - 1, Loan.LENGTH}) {
            loan.read(Loan.LENGTH - length, length, 0, ++context);
            assertThat(loan.awaitCompletions(context).get(context - 1)).isEqualTo(new Completed(context, length));
            assertThat(loan.localBytes(0, length))
                    .isEqualTo(Arrays.copyOfRange(content, Loan.LENGTH - length, Loan.LENGTH));
        }
        assertThat(loan.writes()).as("calls of the owner's application").isEmpty();
    }

    @Test
    void shouldCompleteManyReadsInOrder() {
        grantAll();
        byte[] content = loan.fillGranted(5);
        int count = 2000;
        for (int i = 0; i < count; i++) {
            loan.read(i * 1000, 1 + i % 1000, i * 1000, i);
        }
        List<Completed> told = loan.awaitCompletions(count);
        for (int i = 0; i < count; i++) {
            int length = 1 + i % 1000;
            assertThat(told.get(i)).isEqualTo(new Completed(i, length));
            assertThat(loan.localBytes(i * 1000, length))
                    .isEqualTo(Arrays.copyOfRange(content, i * 1000, i * 1000 + length));
        }
    }

    @Test
    void shouldReadWhatWasWrittenBefore() {
        grantAll();
        int half = Loan.LENGTH / 2;
        for (int round = 1; round <= 50; round++) {
            byte[] bytes = loan.fillLocal(round);
            int length = round * 10_000;
            loan.write(0, length, 77, round);
            loan.read(77, length, half, round);
            loan.awaitCompletions(round);
            assertThat(loan.localBytes(half, length)).isEqualTo(Arrays.copyOf(bytes, length));
            int writes = round;
            eventually(() -> loan.remote().completedWrites() == writes);
        }
    }

    @Test
    void shouldAddUpFromAllSides() {
        grantAll();
        Loan other = Loan.between(owning, stage.node());
        Grant second = other.owner().grant(loan.granted(), Loan.MARGIN, Loan.LENGTH, ALL, GrantCallback.NONE);
        RemoteMemory there = other.user().remoteMemory(second.description(), other);
        AtomicCell cell = loan.owner().atomicCell(loan.granted(), Loan.MARGIN + 16);
        int count = 3000;
        for (int i = 0; i < count; i++) {
            long context = i;
            Loan.post(() -> loan.remote().fetchAdd(16, 1, context));
            Loan.post(() -> there.fetchAdd(16, 1000, context));
            cell.fetchAdd(1_000_000, before -> {});
        }
        loan.awaitCompletions(count);
        other.awaitCompletions(count);
        eventually(() -> cell.value() == count * 1_001_001L);
        assertThat(loan.completions()).extracting(Completed::context).isSorted();
        assertThat(loan.completions()).extracting(Completed::value).isSorted();
        boolean isNative = loan.remote().isNative(Capabilities.Operation.FETCH_ADD);
        boolean isCoherent = !isNative || stage.capabilities().coherentAtomics();
        assertThat(loan.owner().atomicsExecutor().isProcessor()).isEqualTo(isCoherent);
        Stage.get(second.revoke(60_000));
        other.release();
    }

    @Test
    void shouldSwapOnlyIfTheWordHasTheExpectedValue() {
        grantAll();
        Loan.post(() -> loan.remote().compareSwap(8, 0, 5, 1));
        Loan.post(() -> loan.remote().compareSwap(8, 4, 9, 2));
        Loan.post(() -> loan.remote().compareSwap(8, 5, -1, 3));
        assertThat(loan.awaitCompletions(3))
                .containsExactly(new Completed(1, 0), new Completed(2, 5), new Completed(3, 5));
        assertThat(loan.word(8)).isEqualTo(-1);
    }

    @Test
    void shouldReportReadsAndAtomicOperationsInTheOrderOfPosting() {
        grantAll();
        int count = 300;
        for (int i = 0; i < count; i += 2) {
            int context = i;
            loan.read(0, 100_000, 0, context);
            Loan.post(() -> loan.remote().fetchAdd(Loan.LENGTH - 8, 1, context + 1));
        }
        assertThat(loan.awaitCompletions(count))
                .extracting(Completed::context)
                .isSorted()
                .doesNotHaveDuplicates();
    }

    @Test
    void shouldCarryOutReadsAndAtomicOperationsInTheOrderOfPosting() {
        grantAll();
        int count = 200;
        for (int i = 0; i < count; i++) {
            long context = i;
            int landing = Long.BYTES * i;
            Loan.post(() -> loan.remote().fetchAdd(0, 1, context));
            loan.read(0, Long.BYTES, landing, context);
        }
        loan.awaitCompletions(2 * count);
        ByteBuffer read = loan.localWindow().duplicate().order(ByteOrder.nativeOrder());
        for (int i = 0; i < count; i++) {
            assertThat(read.getLong(Long.BYTES * i)).isEqualTo(i + 1);
        }
    }

    @Test
    void shouldTellThatThereIsSpaceAgain() {
        grantAll();
        CountDownLatch stopped = new CountDownLatch(1);
        loan.user().execute(() -> await(stopped));
        int posted = 0;
        // The stopped worker handles no completion during this loop.
        while (loan.remote().read(0, 10, loan.local(), 0, posted) == Posted.POSTED) {
            posted++;
        }
        assertThat(loan.remote().read(0, 10, loan.local(), 0, 0)).isEqualTo(Posted.NO_WINDOW);
        stopped.countDown();
        loan.awaitCompletions(posted);
        eventually(() -> loan.spaceCount() > 0);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void shouldServeBothDirectionsAtOnce() {
        grantAll();
        Grant back = loan.user().grant(loan.local(), 0, Loan.LENGTH, Set.of(Right.READ), GrantCallback.NONE);
        RemoteMemory there = loan.owner().remoteMemory(back.description(), loan);
        loan.fillLocal(7);
        int count = 200;
        for (int i = 0; i < count; i++) {
            int context = i;
            Loan.post(() -> there.read(context, 10_000, loan.granted(), Loan.MARGIN, context));
            loan.write(0, 10_000, 500_000, i);
        }
        loan.awaitCompletions(count);
        loan.awaitWrites(count);
        Stage.get(back.revoke(60_000));
    }

    @Test
    void shouldReadAFileThatCanOnlyBeRead(@TempDir Path directory) throws Exception {
        byte[] content = new byte[500_000];
        new Random(8).nextBytes(content);
        Path path = Files.write(directory.resolve("file"), content);
        try (MappedFile file = MappedFile.openReadOnly(path)) {
            Grant grant = loan.owner().grant(file.region(), 0, content.length, Set.of(Right.READ), loan);
            RemoteMemory remote = loan.user().remoteMemory(grant.description(), loan);
            assertThat(remote.read(0, content.length, loan.local(), 0, 1)).isEqualTo(Posted.POSTED);
            loan.awaitCompletions(1);
            assertThat(loan.localBytes(0, content.length)).isEqualTo(content);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> loan.owner().grant(file.region(), 0, 100, ALL, loan))
                    .withMessageContaining("read-only");
            Stage.get(grant.revoke(60_000));
        }
    }

    @Test
    void shouldSayWhichOperationsTheTransportHas() {
        grantAll();
        for (Operation operation : List.of(Operation.READ, Operation.FETCH_ADD, Operation.PUT)) {
            assertThat(loan.remote().isNative(operation))
                    .isEqualTo(stage.capabilities().offers(operation));
        }
        assertThat(loan.remote().isNative(Operation.WRITE_WITH_IMMEDIATE))
                .isEqualTo(!stage.capabilities().receiverPlaces());
        if (loan.remote().isNative(Operation.PUT)) {
            byte[] bytes = loan.fillLocal(9);
            Loan.post(() -> loan.remote().put(loan.local(), 0, 100_000, 1));
            loan.write(0, 0, 0, 5);
            assertThat(loan.awaitWrites(1)).containsExactly(new Written(5, 0));
            assertThat(loan.grantedBytes(1, 100_000)).isEqualTo(Arrays.copyOf(bytes, 100_000));
        } else {
            assertThatThrownBy(() -> loan.remote().put(loan.local(), 0, 1, 0))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("does not offer PUT");
        }
    }

    @Test
    void shouldRejectOperationsOutsideTheMemoryBeforeAnythingIsSent() {
        grantAll();
        RemoteMemory remote = loan.remote();
        long[][] outside = {{-1, 10}, {0, -1}, {0, Loan.LENGTH + 1}, {Loan.LENGTH, 1}, {Long.MAX_VALUE, 10}};
        for (long[] range : outside) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> remote.write(loan.local(), 0, (int) range[1], range[0], 0));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> remote.read(range[0], (int) range[1], loan.local(), 0, 0));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> remote.write(loan.local(), range[0], (int) range[1], 0, 0));
        }
        assertThatIllegalArgumentException().isThrownBy(() -> remote.read(0, 0, loan.local(), 0, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> remote.write(loan.local(), 0, 1, 0, 65_536));
        for (long offset : new long[] {-8, 4, Loan.LENGTH, Loan.LENGTH - 7, Long.MAX_VALUE}) {
            assertThatIllegalArgumentException().isThrownBy(() -> remote.fetchAdd(offset, 1, 0));
        }
    }

    @Test
    void shouldRejectOperationsThatAreNotGranted() {
        loan.grant(Set.of(Right.READ));
        assertThatThrownBy(() -> loan.remote().write(loan.local(), 0, 1, 0, 0))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has not granted WRITE");
        assertThatThrownBy(() -> loan.remote().fetchAdd(0, 1, 0))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has not granted ATOMIC");
        assertThatThrownBy(() -> loan.remote().rights().add(Right.WRITE))
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void shouldRejectBytesThatAreNoDescription() {
        Connection user = loan.grant(ALL).user();
        ByteBuffer valid = loan.grant().description();
        for (int length : new int[] {0, 1, 31, 33}) {
            assertThatIllegalArgumentException().isThrownBy(() -> user.remoteMemory(ByteBuffer.allocate(length), loan));
        }
        for (int[] damage : new int[][] {{0, 0}, {0, 2}, {1, 0}, {1, 8}, {2, 255}, {4, 255}, {8, 255}}) {
            ByteBuffer damaged = ByteBuffer.allocate(valid.remaining()).put(0, valid, 0, valid.remaining());
            damaged.put(damage[0], (byte) damage[1]);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> user.remoteMemory(damaged, loan))
                    .withMessageContaining("not a valid description");
        }
        assertThatThrownBy(() -> user.remoteMemory(valid, loan))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("already in use");
    }

    @Test
    void shouldLimitTheNumberOfGrantsAndUseTheirIdsAgain() {
        List<Grant> grants = new ArrayList<>();
        for (int i = 0; i < 1024; i++) {
            grants.add(loan.owner().grant(loan.granted(), 8L * i, 8, Set.of(Right.READ), GrantCallback.NONE));
        }
        assertThatThrownBy(() -> loan.owner().grant(loan.granted(), 0, 8, Set.of(Right.READ), GrantCallback.NONE))
                .isInstanceOfSatisfying(
                        TransportException.class,
                        e -> assertThat(e.code()).isEqualTo(TransportException.Code.RESOURCES));
        Stage.get(grants.remove(500).revoke(60_000));
        grants.add(loan.owner().grant(loan.granted(), 0, 8, Set.of(Right.READ), GrantCallback.NONE));
        assertThat(grants.get(1023).id()).isEqualTo(500);
        grants.forEach(grant -> grant.revoke(60_000));
        grants.forEach(grant -> Stage.get(grant.end()));
    }

    @Test
    void shouldReportWhatTheEndOfTheConnectionInterrupts() {
        stage.expectFailures();
        grantAll();
        for (int i = 0; i < 20; i++) {
            loan.read(0, Loan.LENGTH, 0, i);
        }
        loan.user().disconnect("the test ends it");
        eventually(() -> loan.completions().size() + loan.failures().size() == 20);
        assertThat(loan.failures()).isSorted();
        // All reads may have completed before the connection ended.
        eventually(() -> loan.remote().read(0, 1, loan.local(), 0, 1) == Posted.CLOSED);
        assertThat(loan.remote().write(loan.local(), 0, 1, 0, 1)).isEqualTo(Posted.CLOSED);
        assertThatThrownBy(() -> loan.user().remoteMemory(loan.grant().description(), loan))
                .isInstanceOf(TransportException.class);
    }
}
