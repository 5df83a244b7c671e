package io.rocketbufs.contract;

import static io.rocketbufs.contract.Stage.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rocketbufs.memory.MappedFile;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.rocketnet.LentWord;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.RemoteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of writes that do not notify the peer, and of grants of parts of a region. */
class PutContract {
    private static final int LENGTH = 1 << 18;
    private static final int MARGIN = 4096;

    private final Stage stage;
    private final MemoryPool pool = new MemoryPool(4L * LENGTH);
    private BarePair pair;
    private BareEnd sender;
    private BareEnd receiver;
    private RemoteAccess access;
    private RemoteBuffer remote;

    PutContract(Stage stage) {
        this.stage = stage;
    }

    @BeforeEach
    void connect() {
        pair = BarePair.connect(stage, pool.allocate(LENGTH), pool.allocate(LENGTH));
        sender = pair.near();
        receiver = pair.far();
        // The bytes before and after this part must not change.
        access = receiver.connection().grant(receiver.region(), MARGIN, LENGTH - 2 * MARGIN);
        remote = sender.connection().remoteBuffer(access, LENGTH - 2 * MARGIN);
    }

    @AfterEach
    void close() {
        receiver.connection().revoke(access);
        pair.close();
        pool.close();
    }

    private byte[] random(int length) {
        byte[] bytes = new Pattern(length).first(length);
        sender.window().put(0, bytes);
        return bytes;
    }

    /** Waits until the receiver has received everything that was sent before this call. */
    private void awaitAll() {
        int before = receiver.messages();
        sender.send((byte) 1);
        eventually(() -> receiver.messages() == before + 1);
    }

    private byte[] received(int offset, int length) {
        byte[] bytes = new byte[length];
        receiver.window().get(MARGIN + offset, bytes);
        return bytes;
    }

    @Test
    void shouldBeVisibleWhenALaterMessageArrivesWithoutAnyNotice() {
        int granted = LENGTH - 2 * MARGIN;
        for (int length : new int[] {0, 1, 7, 8, 64, 1000, 65_536, granted - 3, granted}) {
            byte[] bytes = random(length);
            sender.put(remote, granted - length, 0, length);
            awaitAll();
            assertThat(received(granted - length, length))
                    .as("length " + length)
                    .isEqualTo(bytes);
        }
        assertThat(receiver.arrivedLength()).isZero();
        assertThat(received(-MARGIN, MARGIN)).isEqualTo(new byte[MARGIN]);
        assertThat(received(granted, MARGIN)).isEqualTo(new byte[MARGIN]);
    }

    @Test
    void shouldBeInOrderWithWrites() {
        for (int round = 1; round <= 100; round++) {
            sender.window().put(0, (byte) -round).put(1, (byte) round);
            // The next round reuses the source bytes, so wait for the completions of each round.
            sender.put(remote, 5, 0, 1);
            sender.write(remote, 5, 1, 1);
            int expected = round;
            eventually(() -> receiver.arrivedLength() == expected);
            assertThat(received(5, 1)).containsExactly(round);
            eventually(() -> sender.isComplete());
        }
    }

    @Test
    void shouldPutWhileTheWindowIsExhausted() {
        byte[] bytes = random(LENGTH - 2 * MARGIN);
        int part = 100;
        for (int offset = 0; offset < bytes.length; offset += part) {
            sender.put(remote, offset, offset, Math.min(part, bytes.length - offset));
        }
        awaitAll();
        assertThat(received(0, bytes.length)).isEqualTo(bytes);
        eventually(() -> sender.isComplete());
    }

    @Test
    void shouldBeWholeWhenALaterWordIsVisible() {
        int length = Math.min(stage.capabilities().orderedPut(), 100_000);
        assumeTrue(length > 0, "the transport does not order puts");
        LentWord word = receiver.connection().lendWord();
        for (long round = 1; round <= 200; round++) {
            for (int i = 0; i < length; i += 64) {
                sender.window().putLong(i, round);
            }
            long announced = round;
            sender.put(remote, 0, 0, length - length % 64);
            sender.writeWord(word.access(), announced);
            eventually(() -> word.value() == announced);
            for (int i = 0; i + 64 <= length; i += 64) {
                assertThat(receiver.window().getLong(MARGIN + i)).isEqualTo(announced);
            }
            eventually(() -> sender.isComplete());
        }
        CompletableFuture<Void> taken = new CompletableFuture<>();
        receiver.connection().worker().execute(() -> {
            word.takeBack();
            taken.complete(null);
        });
        Stage.get(taken);
    }

    @Test
    void shouldNotReachMemoryBehindTheGrant() {
        random(LENGTH);
        RemoteBuffer tooLong = sender.connection().remoteBuffer(access, LENGTH);
        sender.put(tooLong, LENGTH - 2 * MARGIN - 10, 0, 20);
        eventually(() -> sender.hasFailed() || receiver.hasFailed());
        for (int i = 0; i < MARGIN; i++) {
            assertThat(receiver.window().get(LENGTH - MARGIN + i)).isZero();
        }
    }

    @Test
    void shouldRefuseToGrantWhatIsNotInsideTheRegion() {
        long[][] outside = {
            {-1, 10}, {0, 0}, {0, -1}, {0, LENGTH + 1}, {LENGTH, 1}, {Long.MAX_VALUE, 10}, {10, Long.MAX_VALUE}
        };
        for (long[] part : outside) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> receiver.connection().grant(receiver.region(), part[0], part[1]))
                    .withMessageContaining("the part is not inside the region");
        }
    }

    @Test
    void shouldRefuseToGrantAccessToWhatCanOnlyBeRead(@TempDir Path directory) throws Exception {
        Path path = Files.write(directory.resolve("file"), new byte[100]);
        try (MappedFile file = MappedFile.openReadOnly(path)) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> receiver.connection().grant(file.region(), 0, 100))
                    .withMessageContaining("read-only");
        }
    }

    @Test
    void shouldAnswerClosedAfterTheEnd() {
        sender.end();
        eventually(() -> sender.isClosed());
        assertThat(sender.tryPut(remote, 0, 0, 1)).isEqualTo(PostResult.CLOSED);
    }
}
