package io.rocketbufs.rocketnet.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.memory.AllocatedBytes;
import io.rocketbufs.memory.MappedFile;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.rocketnet.AtomicWord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of reading files chosen by the peer while the peer changes them. */
final class ShmPeerFileTest {
    private static final int LENGTH = 100_000;

    private final MemoryPool pool = new MemoryPool(LENGTH);
    private final Region local = pool.allocate(LENGTH);
    private final ByteBuffer window = local.window(0, LENGTH);
    private final byte[] content = new byte[LENGTH];
    private long before;
    private int readCount;

    @TempDir
    private Path directory;

    @BeforeEach
    void fill() {
        new Random(1).nextBytes(content);
        before = ShmEnds.descriptors();
    }

    @AfterEach
    void release() {
        local.release();
        pool.close();
        assertThat(ShmEnds.descriptors()).as("descriptors").isLessThanOrEqualTo(before);
    }

    private MappedFile onDisk() throws IOException {
        return MappedFile.open(Files.write(directory.resolve("file"), content));
    }

    private MappedFile inMemory() throws IOException {
        MappedFile file = MappedFile.memory("test", LENGTH);
        file.region().window(0, LENGTH).put(0, content);
        return file;
    }

    private boolean read(ShmPeerFile file, long offset, int length) {
        return file.read(offset, local.address(), length);
    }

    private byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        window.get(0, bytes);
        return bytes;
    }

    @Test
    void shouldMapSealedMemoryAndKeepNoDescriptor() throws IOException {
        try (MappedFile memory = inMemory()) {
            long open = ShmEnds.descriptors();
            ShmPeerFile file = ShmPeerFile.of(memory.region().openFile());
            assertThat(ShmEnds.descriptors()).isEqualTo(open);
            assertThat(read(file, 0, LENGTH)).isTrue();
            assertThat(bytes(LENGTH)).isEqualTo(content);
            file.end();
        }
    }

    @Test
    void shouldReadNothingBeyondMappedMemory() throws IOException {
        try (MappedFile memory = inMemory()) {
            ShmPeerFile file = ShmPeerFile.of(memory.region().openFile());
            assertThat(read(file, 1, LENGTH)).isFalse();
            assertThat(read(file, LENGTH, 1)).isFalse();
            assertThat(read(file, -1, 1)).isFalse();
            assertThat(read(file, Long.MAX_VALUE, 1)).isFalse();
            assertThat(read(file, LENGTH - 1, 1)).isTrue();
            file.end();
        }
    }

    @Test
    void shouldReadAFileWithoutMappingIt() throws IOException {
        try (MappedFile disk = onDisk()) {
            long open = ShmEnds.descriptors();
            ShmPeerFile file = ShmPeerFile.of(disk.region().openFile());
            assertThat(ShmEnds.descriptors()).isEqualTo(open + 1);
            assertThat(read(file, 17, LENGTH - 17)).isTrue();
            assertThat(bytes(LENGTH - 17)).isEqualTo(Arrays.copyOfRange(content, 17, LENGTH));
            file.end();
        }
    }

    @Test
    void shouldReadZerosWhereTheFileIsShorterThanThePeerSays() throws IOException {
        Path path = Files.write(directory.resolve("short"), new byte[] {1, 2, 3});
        try (MappedFile disk = MappedFile.open(path)) {
            ShmPeerFile file = ShmPeerFile.of(disk.region().openFile());
            window.put(0, content);
            assertThat(read(file, 1, 100)).isTrue();
            assertThat(bytes(100)).startsWith(2, 3, 0).endsWith(0);
            assertThat(read(file, 1L << 40, 100)).isTrue();
            assertThat(bytes(100)).isEqualTo(new byte[100]);
            file.end();
        }
    }

    @Test
    void shouldNotMapMemoryThatThePeerCanShrink() throws IOException {
        ByteBuffer name = ShmCalls.string("test");
        ShmCalls create = ShmCalls.of("memfd_create");
        int descriptor = create.check(create.call(ShmCalls.address(name), 2));
        ShmCalls truncate = ShmCalls.of("ftruncate");
        truncate.check(truncate.call(descriptor, LENGTH));
        ShmCalls dup = ShmCalls.of("dup");
        ShmPeerFile file = ShmPeerFile.of(dup.check(dup.call(descriptor)));
        assertThat(read(file, 0, LENGTH)).isTrue();
        truncate.check(truncate.call(descriptor, 0));
        assertThat(read(file, 0, LENGTH)).isTrue();
        assertThat(bytes(LENGTH)).isEqualTo(new byte[LENGTH]);
        ShmSocket.closeDescriptor(descriptor);
        file.end();
    }

    @Test
    void shouldReadNothingFromADescriptorThatIsNotAFile() throws IOException {
        ByteBuffer pipe = ShmCalls.block(8);
        ShmCalls.of("pipe").call(ShmCalls.address(pipe));
        ShmCalls open = ShmCalls.of("open");
        int folder = open.check(open.call(ShmCalls.address(ShmCalls.string(directory.toString())), 0));
        ShmSocket socket = ShmSocket.open();
        for (int descriptor : new int[] {pipe.getInt(0), pipe.getInt(4), folder, socket.descriptor()}) {
            ShmPeerFile file = ShmPeerFile.of(descriptor);
            assertThat(read(file, 0, 10)).isFalse();
            file.end();
        }
    }

    @Test
    void shouldReadNothingAfterTheEnd() throws IOException {
        try (MappedFile memory = inMemory()) {
            ShmPeerFile file = ShmPeerFile.of(memory.region().openFile());
            file.end();
            assertThat(file.isReadable()).isFalse();
            assertThat(read(file, 0, 1)).isFalse();
        }
    }

    @Test
    void shouldStayReadableUntilReadsInProgressAreOver() throws Exception {
        try (MappedFile memory = inMemory();
                MappedFile disk = onDisk()) {
            for (int round = 0; round < 60; round++) {
                MappedFile shared = round % 2 == 0 ? memory : disk;
                ShmPeerFile file = ShmPeerFile.of(shared.region().openFile());
                CountDownLatch begun = new CountDownLatch(1);
                CompletableFuture<Void> reading = CompletableFuture.runAsync(() -> {
                    while (read(file, 0, LENGTH)) {
                        begun.countDown();
                    }
                });
                begun.await();
                file.end();
                reading.get();
                assertThat(bytes(LENGTH)).isEqualTo(content);
            }
        }
    }

    @Test
    void shouldMapWordsAndKeepNoDescriptor() throws IOException {
        try (MappedFile memory = MappedFile.words("test", 4096)) {
            long open = ShmEnds.descriptors();
            ShmPeerFile words = ShmPeerFile.ofWords(memory.region().openWords());
            assertThat(ShmEnds.descriptors()).isEqualTo(open);
            assertThat(words.fetchAdd(4088, 5, before -> {})).isTrue();
            assertThat(AtomicWord.ofProcessor(memory.region(), 4088).value()).isEqualTo(5);
            words.end();
            assertThat(words.hasWords()).isFalse();
            assertThat(words.fetchAdd(4088, 5, before -> {})).isFalse();
            assertThat(words.compareSwap(4088, 5, 6, before -> {})).isFalse();
            assertThat(AtomicWord.ofProcessor(memory.region(), 4088).value()).isEqualTo(5);
        }
    }

    @Test
    void shouldKeepWordsMappedUntilOperationsInProgressAreOver() throws Exception {
        try (MappedFile memory = MappedFile.words("test", 4096)) {
            AtomicLong changes = new AtomicLong();
            for (int round = 0; round < 200; round++) {
                ShmPeerFile words = ShmPeerFile.ofWords(memory.region().openWords());
                CountDownLatch begun = new CountDownLatch(1);
                CompletableFuture<Void> changing = CompletableFuture.runAsync(() -> {
                    while (words.fetchAdd(8, 1, before -> changes.incrementAndGet())) {
                        begun.countDown();
                    }
                });
                begun.await();
                words.end();
                changing.get();
            }
            assertThat(AtomicWord.ofProcessor(memory.region(), 8).value()).isEqualTo(changes.get());
        }
    }

    @Test
    void shouldAllocateNothingWhenChangingWords() throws IOException {
        try (MappedFile memory = MappedFile.words("test", 4096)) {
            ShmPeerFile words = ShmPeerFile.ofWords(memory.region().openWords());
            LongConsumer onBefore = before -> readCount++;
            assertThat(AllocatedBytes.perCall(6, 20_000, () -> {
                        words.fetchAdd(8, 1, onBefore);
                        words.compareSwap(8, 0, 1, onBefore);
                    }))
                    .isLessThan(0.5);
            words.end();
        }
    }

    @Test
    void shouldAllocateNothing() throws IOException {
        try (MappedFile memory = inMemory();
                MappedFile disk = onDisk()) {
            assertThat(allocatedPerRead(memory)).isLessThan(0.5);
            assertThat(allocatedPerRead(disk)).isLessThan(0.5);
        }
    }

    private double allocatedPerRead(MappedFile shared) {
        ShmPeerFile file = ShmPeerFile.of(shared.region().openFile());
        double allocated = AllocatedBytes.perCall(6, 20_000, () -> read(file, readCount++ % 20_000, 100));
        file.end();
        return allocated;
    }
}
