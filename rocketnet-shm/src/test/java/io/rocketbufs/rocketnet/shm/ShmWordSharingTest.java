package io.rocketbufs.rocketnet.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.memory.MappedFile;
import io.rocketbufs.rocketnet.AtomicWord;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.RemoteBuffer;
import io.rocketbufs.rocketnet.Right;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of words shared by a hostile peer, and of words shared with a hostile peer. */
final class ShmWordSharingTest extends ShmSharingFixture {
    private static final Set<Right> ATOMIC = Set.of(Right.ATOMIC);
    private static final LongConsumer NEVER = number -> {
        throw new AssertionError("number=" + number);
    };

    private final AtomicLong number = new AtomicLong();
    private MappedFile words;

    @TempDir
    private Path directory;

    @BeforeEach
    void create() throws IOException {
        words = MappedFile.words("words", LENGTH);
    }

    @AfterEach
    void closeWords() {
        words.close();
    }

    private void shareWords(long key) throws ShmException {
        shareWords(key, words.region().openWords());
    }

    /** Shares a descriptor and closes it. */
    private void shareWords(long key, int descriptor) throws ShmException {
        peer.send(ShmNotice.of(ShmNotice.WORDS, key), descriptor);
        ShmSocket.closeDescriptor(descriptor);
    }

    private AtomicWord word(long offset) {
        return AtomicWord.ofProcessor(words.region(), offset);
    }

    private static void await(RemoteBuffer remote, boolean hasWords) {
        Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> remote.hasWords() == hasWords);
    }

    @Test
    void shouldChangeWordsUntilThePeerWithdrawsThem() throws ShmException {
        RemoteBuffer remote = remote(5);
        assertThat(remote.hasWords()).isFalse();
        assertThat(remote.fetchAdd(8, 1, NEVER)).isFalse();
        shareWords(5);
        await(remote, true);
        assertThat(remote.fetchAdd(8, 40, number::set)).isTrue();
        assertThat(number).hasValue(0);
        assertThat(remote.compareSwap(8, 7, 1, number::set)).isTrue();
        assertThat(number).hasValue(40);
        assertThat(remote.compareSwap(8, 40, -2, number::set)).isTrue();
        assertThat(word(8).value()).isEqualTo(-2);
        assertThat(remote.read(8, 8, local, 0)).isTrue();
        assertThat(local.window(0, 8).getLong(0)).isNotZero();
        peer.send(ShmNotice.of(ShmNotice.WITHDRAWN, 5), -1);
        await(remote, false);
        for (RemoteBuffer stale : new RemoteBuffer[] {remote, remote(5), remote(6)}) {
            assertThat(stale.hasWords()).isFalse();
            assertThat(stale.fetchAdd(8, 1, NEVER)).isFalse();
            assertThat(stale.compareSwap(8, -2, 1, NEVER)).isFalse();
        }
        assertThat(word(8).value()).isEqualTo(-2);
    }

    @Test
    void shouldChangeNothingThatIsNoWordOfTheMemory() throws ShmException {
        shareWords(5);
        RemoteBuffer tooLong = connection.remoteBuffer(new RemoteAccess(0, 5), Long.MAX_VALUE);
        await(tooLong, true);
        for (long offset :
                new long[] {-8, 1, 4, 12, LENGTH - 4, LENGTH, 1L << 32, Long.MAX_VALUE - 7, Long.MIN_VALUE}) {
            assertThat(tooLong.fetchAdd(offset, 1, NEVER)).isFalse();
            assertThat(tooLong.compareSwap(offset, 0, 1, NEVER)).isFalse();
        }
        for (long offset = 0; offset < LENGTH; offset += 8) {
            assertThat(word(offset).value()).isZero();
        }
        assertThat(tooLong.fetchAdd(LENGTH - 8, 1, number::set)).isTrue();
    }

    @Test
    void shouldNotChangeFilesThatThePeerSharesForReading() throws ShmException {
        share(5);
        awaitReadable(5);
        assertThat(remote(5).hasWords()).isFalse();
        assertThat(remote(5).fetchAdd(0, 1, NEVER)).isFalse();
        assertThat(remote(5).compareSwap(0, 4711, 1, NEVER)).isFalse();
    }

    /**
     * Accessing a mapping of one of these descriptors could crash the process, unless the kernel refuses the mapping.
     */
    @Test
    void shouldCloseDescriptorsThatItCannotMapSafely() throws IOException {
        Path disk = Files.write(directory.resolve("file"), new byte[LENGTH]);
        ShmCalls open = ShmCalls.of("open");
        shareWords(1, file.region().openFile());
        shareWords(2, open.check(open.call(ShmCalls.address(ShmCalls.string(disk.toString())), 2)));
        shareWords(3, unsealed());
        ByteBuffer pipe = ShmCalls.block(8);
        ShmCalls.of("pipe").call(ShmCalls.address(pipe));
        shareWords(4, pipe.getInt(0));
        shareWords(5, pipe.getInt(4));
        peer.send(ShmNotice.of(ShmNotice.WORDS, 6), -1);
        peer.send(ShmNotice.of(ShmNotice.WORDS, 7), peer.descriptor());
        shareWords(0);
        shareWords(8);
        shareWords(8); // share them once more
        settle();
        Awaitility.await().until(() -> ShmEnds.descriptors() <= before + 1);
        assertThat(remote(8).hasWords()).isTrue();
        for (long key = 0; key < 8; key++) {
            assertThat(remote(key).hasWords()).isFalse();
            assertThat(remote(key).isReadable()).isFalse();
            assertThat(remote(key).fetchAdd(0, 1, NEVER)).isFalse();
        }
        assertThat(closed).isNotDone();
        assertThat(file.region().window(0, 8).getLong(0)).isEqualTo(4711);
    }

    private static int unsealed() throws ShmException {
        ByteBuffer name = ShmCalls.string("test");
        ShmCalls create = ShmCalls.of("memfd_create");
        int descriptor = create.check(create.call(ShmCalls.address(name), 2));
        ShmCalls truncate = ShmCalls.of("ftruncate");
        truncate.check(truncate.call(descriptor, LENGTH));
        return descriptor;
    }

    @Test
    void shouldShareOnlyWholeMemoryForWordsWithoutTheRightToWrite() throws IOException {
        assertThat(connection.share(file.region(), ATOMIC)).isEqualTo(RemoteAccess.NONE);
        assertThat(connection.share(local, ATOMIC)).isEqualTo(RemoteAccess.NONE);
        assertThat(connection.share(words.region(), READ)).isEqualTo(RemoteAccess.NONE);
        assertThat(connection.share(words.region(), EnumSet.allOf(Right.class))).isEqualTo(RemoteAccess.NONE);
        RemoteAccess access = connection.share(words.region(), EnumSet.of(Right.ATOMIC, Right.READ));
        assertThat(access).isNotEqualTo(RemoteAccess.NONE);
        ByteBuffer packet = ShmCalls.block(ShmNotice.LENGTH);
        ShmSocket.closeDescriptor(receive(packet).descriptor());
        assertThat(ShmNotice.kind(packet)).isEqualTo(ShmNotice.WORDS);
        assertThat(ShmNotice.key(packet)).isEqualTo(access.key());
        words.close();
        assertThat(connection.share(words.region(), ATOMIC)).isEqualTo(RemoteAccess.NONE);
    }

    /** The peer keeps the memory that it has mapped, but cannot access any other memory. */
    @Test
    void shouldLetAHostilePeerChangeNothingButTheWordsThatItWasGiven() throws IOException {
        RemoteAccess access = connection.share(words.region(), ATOMIC);
        ByteBuffer packet = ShmCalls.block(ShmNotice.LENGTH);
        int descriptor = receive(packet).descriptor();
        long mapping = ShmMemory.mmap(descriptor, LENGTH, 3);
        ByteBuffer hostile = ShmCalls.view(mapping, LENGTH);
        hostile.putLong(8, 0xDEADBEEFL);
        assertThat(word(8).value()).isEqualTo(0xDEADBEEFL);
        word(8).fetchAdd(1, number::set);
        assertThat(number).hasValue(0xDEADBEEFL);

        ShmCalls truncate = ShmCalls.of("ftruncate");
        for (long length : new long[] {0, 8, 2 * LENGTH}) {
            assertThat((int) truncate.call(descriptor, length))
                    .as("length %d", length)
                    .isEqualTo(-1);
        }
        assertThat((int) ShmCalls.of("fcntl").call(descriptor, 1033, 16))
                .as("a seal against the writes of other peers")
                .isEqualTo(-1);

        connection.revoke(access);
        assertThat(receive(packet).descriptor()).isNegative();
        words.close();
        try (MappedFile next = MappedFile.words("words", LENGTH)) {
            assertThat(connection.share(next.region(), ATOMIC).key()).isGreaterThan(access.key());
            hostile.putLong(8, 1);
            assertThat(next.region().window(0, LENGTH).getLong(8)).isZero();
            ShmSocket.closeDescriptor(receive(packet).descriptor());
        }
        assertThat(closed).isNotDone();
        ShmMemory.munmap(mapping, LENGTH);
        ShmSocket.closeDescriptor(descriptor);
    }

    @Test
    void shouldGiveBackWordsOfAPeerThatHasEnded() throws ShmException {
        shareWords(5);
        RemoteBuffer opened = remote(5);
        await(opened, true);
        peer.shutDown();
        Awaitility.await().atMost(60, TimeUnit.SECONDS).until(closed::isDone);
        assertThat(opened.fetchAdd(8, 1, NEVER)).isFalse();
        assertThat(word(8).value()).isZero();
    }
}
