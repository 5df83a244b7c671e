package io.rocketbufs.contract;

import static io.rocketbufs.contract.Stage.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.rocketbufs.memory.Region;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.RemoteBuffer;
import io.rocketbufs.rocketnet.Right;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of reads of the peer's memory. */
class ReadContract extends FetchFixture {
    private static final Set<Right> BOTH = EnumSet.of(Right.READ, Right.WRITE);

    ReadContract(Stage stage) {
        super(stage);
    }

    ReadContract(Stage stage, SharedMemory shared) {
        super(stage, shared);
    }

    @BeforeEach
    void needReads() {
        need(Right.READ);
    }

    @Test
    void shouldReadEveryLength() {
        int longest = longestRead();
        int margin = 64;
        BarePair pair = pair(region(longest + 2 * margin), region(longest));
        RemoteBuffer remote = pair.granted(0, longest, Set.of(Right.READ));
        byte[] expected = random(pair.far(), 0, longest);
        for (int length : new int[] {1, 2, 7, 8, 63, 64, 1000, 4096, 65_537, longest - 1, longest}) {
            pair.near().window().put(0, new byte[longest + 2 * margin]);
            pair.near().result(pair.near().read(remote, longest - length, margin, length));
            byte[] landed = bytes(pair.near(), margin, length);
            assertThat(Arrays.equals(landed, 0, length, expected, longest - length, longest))
                    .as("length " + length)
                    .isTrue();
            assertZero(pair.near(), 0, margin);
            assertZero(pair.near(), margin + length, margin);
        }
        pair.revoke(remote);
    }

    @Test
    void shouldRefuseWhatExceedsALimit() {
        needTransport();
        int longest = capabilities().longestRead();
        Region region = region(longest + 1);
        BarePair pair = pair(region, region(longest + 1));
        RemoteBuffer remote = pair.granted(0, longest + 1, Set.of(Right.READ));
        int[][] wrong = {{0, 0, longest + 1}, {0, 0, 0}, {0, 0, -1}, {-1, 0, 1}, {0, -1, 1}, {longest + 1, 0, 1}};
        for (int[] request : wrong) {
            assertThatIllegalArgumentException()
                    .as("remoteOffset=%d, offset=%d, length=%d", request[0], request[1], request[2])
                    .isThrownBy(() -> pair.near().tryRead(remote, request[0], request[1], request[2]))
                    .withMessageContaining("length=" + request[2]);
        }
        assertThatIllegalArgumentException().isThrownBy(() -> pair.near().tryRead(remote, 0, (int) region.length(), 1));
        pair.near().result(pair.near().read(remote, longest, 0, 1));
        pair.revoke(remote);
    }

    @Test
    void shouldReportAnExhaustedWindowAndGoOnWhenReadsHaveCompleted() {
        needTransport();
        BarePair pair = pair();
        RemoteBuffer remote = pair.granted(0, LENGTH, Set.of(Right.READ));
        byte[] expected = random(pair.far(), 0, LENGTH);
        int window = capabilities().readWindow();
        for (int round = 0; round < 3; round++) {
            int before = pair.near().fetchedCount();
            CountDownLatch stopped = stopWorker(pair.near());
            for (int i = 0; i < window; i++) {
                assertThat(pair.near().tryRead(remote, 8 * i, 8 * i, 8)).isEqualTo(PostResult.POSTED);
            }
            assertThat(pair.near().tryRead(remote, 0, 0, 8)).isEqualTo(PostResult.NO_WINDOW);
            stopped.countDown();
            eventually(() -> pair.near().fetchedCount() == before + window);
        }
        assertThat(bytes(pair.near(), 0, 8 * window)).isEqualTo(Arrays.copyOf(expected, 8 * window));
        pair.revoke(remote);
    }

    @Test
    void shouldSeeWhatTheSameConnectionWroteBefore() {
        BarePair pair = pair();
        RemoteBuffer remote = pair.granted(0, LENGTH, BOTH);
        int length = 3000;
        for (int round = 1; round <= 300; round++) {
            for (int i = 0; i < length; i += 8) {
                pair.near().window().putLong(i, round);
            }
            int at = round * 8;
            if (round % 2 == 0) {
                pair.near().put(remote, at, 0, length);
            } else {
                pair.near().write(remote, at, 0, length);
            }
            pair.near().result(pair.near().read(remote, at, length, length));
            assertThat(bytes(pair.near(), length, length)).isEqualTo(bytes(pair.near(), 0, length));
            eventually(() -> pair.near().isComplete());
        }
        pair.revoke(remote);
    }

    @Test
    void shouldReadBesideWritesInBothDirections() {
        BarePair pair = pair();
        int part = LENGTH / 4;
        RemoteBuffer toFar = pair.granted(0, 2 * part, BOTH);
        RemoteBuffer toNear = pair.far()
                .connection()
                .remoteBuffer(pair.near().connection().grant(pair.near().region(), 0, 2 * part, BOTH), 2 * part);
        random(pair.near(), 0, part);
        random(pair.far(), 0, part);
        byte[] ofNear = bytes(pair.near(), 0, part);
        byte[] ofFar = bytes(pair.far(), 0, part);
        CompletableFuture<Void> far =
                CompletableFuture.runAsync(() -> writeAndRead(pair.far(), toNear, part, ofFar, ofNear));
        writeAndRead(pair.near(), toFar, part, ofNear, ofFar);
        Stage.get(far);
        assertThat(bytes(pair.near(), part, part)).isEqualTo(ofFar);
        assertThat(bytes(pair.far(), part, part)).isEqualTo(ofNear);
        pair.revoke(toFar);
        pair.near().connection().revoke(toNear.access());
    }

    /**
     * Writes the first part of an end's region to the second part of the peer's region, and reads the peer's first
     * part.
     */
    private static void writeAndRead(BareEnd end, RemoteBuffer remote, int part, byte[] own, byte[] peers) {
        int step = 1000;
        for (int round = 0; round < 5; round++) {
            for (int offset = 0; offset < part; offset += step) {
                int length = Math.min(step, part - offset);
                end.write(remote, part + offset, offset, length);
                end.read(remote, offset, 2 * part + offset, length);
            }
            int expected = (round + 1) * ((part + step - 1) / step);
            eventually(() -> end.fetchedCount() == expected && end.isComplete());
            assertThat(bytes(end, 2 * part, part)).isEqualTo(peers);
            assertThat(bytes(end, 0, part)).isEqualTo(own);
            end.window().put(2 * part, new byte[part]);
        }
    }

    @Test
    void shouldNotLetAReaderThatStopsDelayOthers() {
        needTransport();
        Region shared = region(LENGTH);
        BarePair stopped = strangerPair(shared);
        BarePair other = pair(shared);
        byte[] expected = random(other.far(), 0, LENGTH);
        RemoteBuffer first = stopped.granted(0, LENGTH, Set.of(Right.READ));
        RemoteBuffer second = other.granted(0, LENGTH, Set.of(Right.READ));
        int length = Math.min(LENGTH / 2, longestRead());
        CountDownLatch released = stopWorker(stopped.near());
        int reads = 0;
        while (stopped.near().tryRead(first, 0, 0, length) == PostResult.POSTED) {
            reads++;
        }
        for (int round = 0; round < 20; round++) {
            other.near().result(other.near().read(second, round, 0, length));
            assertThat(bytes(other.near(), 0, length)).isEqualTo(Arrays.copyOfRange(expected, round, round + length));
        }
        released.countDown();
        int count = reads;
        eventually(() -> stopped.near().fetchedCount() == count);
        stopped.revoke(first);
        other.revoke(second);
    }

    @Test
    void shouldNotCallTheOwnersHandler() {
        BarePair pair = pair();
        RemoteBuffer remote = pair.granted(0, LENGTH, Set.of(Right.READ));
        pair.awaitAll();
        int before = pair.far().upcalls();
        long last = 0;
        for (int i = 0; i < 1000; i++) {
            last = pair.near().read(remote, 8 * i, 8 * i, 8);
        }
        pair.near().result(last);
        eventually(() -> pair.near().fetchedCount() == 1000);
        // The end of the batch that contains the last message may have been reported late.
        assertThat(pair.far().upcalls()).isBetween(before, before + 2);
        pair.revoke(remote);
    }

    @Test
    void shouldLeaveTheMemoryAloneAfterTheEnd() {
        BarePair pair = pair();
        int length = Math.min(LENGTH / 2, longestRead());
        random(pair.far(), 0, LENGTH);
        RemoteBuffer remote = pair.granted(0, LENGTH, Set.of(Right.READ));
        for (int i = 0; i < 4; i++) {
            pair.near().tryRead(remote, 0, 0, length);
        }
        pair.near().end();
        eventually(() -> pair.near().isClosed());
        pair.near().window().put(0, new byte[length]);
        pair.far().end();
        eventually(() -> pair.far().isClosed());
        assertZero(pair.near(), 0, length);
        assertThat(pair.near().tryRead(remote, 0, 0, 1)).isEqualTo(PostResult.CLOSED);
        pair.revoke(remote);
    }
}
