package io.rocketbufs.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class MappedFileTest {
    private static final int PAGE = (int) MemoryCalls.load().pageLength();

    @TempDir
    private Path directory;

    private Path path() {
        return directory.resolve("segment");
    }

    /** Returns true if this process has mapped any part of the file. */
    private static boolean isMapped(Path path) throws IOException {
        return !mapping(path).isEmpty();
    }

    /** Returns the entries of this process's memory map that belong to the file. */
    private static String mapping(Path path) throws IOException {
        return Files.readAllLines(Path.of("/proc/self/maps"), StandardCharsets.ISO_8859_1).stream()
                .filter(each -> each.contains(path.toString()))
                .collect(Collectors.joining("\n"));
    }

    @Test
    void shouldHaveTheRegionsBytesInTheFile() throws Exception {
        try (MappedFile file = MappedFile.create(path(), 3 * PAGE + 5)) {
            assertThat(file.length()).isEqualTo(3 * PAGE + 5);
            assertThat(file.region().length()).isEqualTo(3 * PAGE + 5);
            assertThat(file.region().address() % PAGE).isZero();
            file.region().window(3 * PAGE, 5).put("hello".getBytes(StandardCharsets.UTF_8));
            file.force();

            byte[] content = Files.readAllBytes(path());
            assertThat(content).hasSize(3 * PAGE + 5).endsWith('h', 'e', 'l', 'l', 'o');
            assertThat(content).startsWith(new byte[3 * PAGE]);
        }
    }

    @Test
    void shouldSeeWhatOthersWriteToTheFile() throws Exception {
        Files.write(path(), new byte[] {1, 2, 3});
        try (MappedFile file = MappedFile.open(path());
                FileChannel other = FileChannel.open(path(), StandardOpenOption.WRITE)) {
            ByteBuffer window = file.region().window(0, 3);
            assertThat(window.get(2)).isEqualTo((byte) 3);
            other.write(ByteBuffer.wrap(new byte[] {9}), 2);
            assertThat(window.get(2)).isEqualTo((byte) 9);
            window.put(0, (byte) 7);
        }
        assertThat(Files.readAllBytes(path())).containsExactly(7, 2, 9);
    }

    @Test
    void shouldAllocateTheBlocksOfACreatedFile() throws Exception {
        try (MappedFile file = MappedFile.create(path(), 1 << 20)) {
            Process stat = new ProcessBuilder("stat", "-c", "%b %B", path().toString()).start();
            String[] blocks = new String(stat.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                    .trim()
                    .split(" ");
            assertThat(Long.parseLong(blocks[0]) * Long.parseLong(blocks[1])).isGreaterThanOrEqualTo(file.length());
        }
    }

    @Test
    void shouldNameTheFileWhenTheDiskIsFull() throws Exception {
        Path memory = Path.of("/dev/shm");
        assumeTrue(Files.isDirectory(memory), () -> "there is no folder " + memory);
        Path path = Files.createTempDirectory(memory, "rocketbufs").resolve("segment");
        long tooLong = Files.getFileStore(memory).getTotalSpace() + (1L << 30);
        try {
            assertThatExceptionOfType(FileSystemException.class)
                    .isThrownBy(() -> MappedFile.create(path, tooLong))
                    .withMessage(
                            path + ": " + tooLong + " bytes cannot be allocated: No space left on device (errno 28)");
            assertThat(path).doesNotExist();
        } finally {
            Files.deleteIfExists(path);
            Files.delete(path.getParent());
        }
    }

    @Test
    void shouldNotReplaceAFile() throws Exception {
        Files.write(path(), new byte[] {1});
        assertThatExceptionOfType(FileSystemException.class)
                .isThrownBy(() -> MappedFile.create(path(), PAGE))
                .withMessage(path() + ": cannot be created: File exists (errno 17)");
        assertThat(Files.readAllBytes(path())).containsExactly(1);
    }

    @Test
    void shouldNameAFileThatCannotBeMapped() throws Exception {
        assertThatExceptionOfType(FileSystemException.class)
                .isThrownBy(() -> MappedFile.open(path()))
                .withMessage(path() + ": cannot be opened: No such file or directory (errno 2)");
        assertThatExceptionOfType(FileSystemException.class)
                .isThrownBy(() -> MappedFile.create(path().resolve("in"), PAGE))
                .withMessage(path().resolve("in") + ": cannot be created: No such file or directory (errno 2)");
        assertThatExceptionOfType(FileSystemException.class)
                .isThrownBy(() -> MappedFile.open(directory))
                .withMessage(directory + ": cannot be opened: Is a directory (errno 21)");
        assertThatThrownBy(() -> MappedFile.openReadOnly(directory)).hasMessageContaining(directory.toString());
        Files.createFile(path());
        assertThatExceptionOfType(FileSystemException.class)
                .isThrownBy(() -> MappedFile.openReadOnly(path()))
                .withMessage(path() + ": is empty; an empty file cannot be mapped");
        assertThatIllegalArgumentException().isThrownBy(() -> MappedFile.create(path(), 0));
    }

    @Test
    void shouldNameADeviceInsteadOfWaitingForIt() throws Exception {
        Process mkfifo = new ProcessBuilder("mkfifo", path().toString()).start();
        assertThat(mkfifo.waitFor()).isZero();
        assertThatExceptionOfType(FileSystemException.class)
                .isThrownBy(() -> MappedFile.openReadOnly(path()))
                .withMessage(path() + ": has no length: Illegal seek (errno 29)");
    }

    @Test
    void shouldCloseTheDescriptorsOfFilesThatCannotBeMapped() throws Exception {
        Files.createFile(path());
        long before = descriptorsOf(path());
        for (int i = 0; i < 10; i++) {
            assertThatThrownBy(() -> MappedFile.open(path())).isInstanceOf(FileSystemException.class);
        }
        assertThat(descriptorsOf(path())).isEqualTo(before).isZero();
    }

    private static long descriptorsOf(Path path) throws IOException {
        try (var descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return descriptors.filter(descriptor -> refersTo(descriptor, path)).count();
        }
    }

    private static boolean refersTo(Path descriptor, Path path) {
        try {
            return Files.readSymbolicLink(descriptor).toString().startsWith(path.toString());
        } catch (IOException e) {
            return false; // closed in the meantime by another thread
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"READ", "PINNABLE"})
    void shouldHaveReadOnlyWindowsIfItWasOpenedForReading(MappedFile.Access access) throws Exception {
        Files.write(path(), new byte[] {1, 2, 3});
        try (MappedFile file = MappedFile.open(path(), access)) {
            assertThat(file.region().writable()).isFalse();
            ByteBuffer window = file.region().window(1, 2);
            assertThat(window.get(1)).isEqualTo((byte) 3);
            assertThatThrownBy(() -> window.put(0, (byte) 9)).isInstanceOf(ReadOnlyBufferException.class);
            assertThatThrownBy(() -> window.duplicate().put(0, (byte) 9)).isInstanceOf(ReadOnlyBufferException.class);
            assertThatThrownBy(() -> file.truncate(1))
                    .isInstanceOf(FileSystemException.class)
                    .hasMessageStartingWith(path() + ": cannot be truncated to 1 bytes: ");
        }
    }

    @Test
    void shouldMapAFileForWritingOnlyIfADeviceCouldNotPinItOtherwise() throws Exception {
        Files.write(path(), new byte[] {1, 2, 3});
        try (MappedFile file = MappedFile.open(path(), MappedFile.Access.READ)) {
            assertThat(file.region().writable()).isFalse();
            assertThat(mapping(path())).contains(" r--s ");
        }
        try (MappedFile file = MappedFile.open(path(), MappedFile.Access.PINNABLE)) {
            assertThat(file.region().writable()).isFalse();
            assertThat(mapping(path())).contains(" rw-s ");
        }
    }

    @Test
    void shouldMapAFileThatCannotBeWrittenForReading() throws Exception {
        Path program = Path.of("/proc/self/exe").toRealPath(); // no process can open a running program for writing
        String before = mapping(program);
        try (MappedFile file = MappedFile.open(program, MappedFile.Access.PINNABLE)) {
            assertThat(file.region().window(1, 3)).isEqualTo(ByteBuffer.wrap(new byte[] {'E', 'L', 'F'}));
            assertThat(mapping(program)).isNotEqualTo(before).contains(" r--s ");
        }
    }

    @Test
    void shouldFreeTheRestWhenTruncated() throws Exception {
        try (MappedFile file = MappedFile.create(path(), 4 * PAGE)) {
            ByteBuffer window = file.region().window(0, 4 * PAGE);
            for (int i = 0; i < window.capacity(); i++) {
                window.put(i, (byte) 1);
            }
            file.truncate(PAGE + 1);

            assertThat(file.length()).isEqualTo(PAGE + 1);
            assertThat(Files.size(path())).isEqualTo(PAGE + 1);
            assertThat(window.get(PAGE)).isEqualTo((byte) 1);
            assertThat(window.get(4 * PAGE - 1)).as("a stale address").isZero();
            window.put(2 * PAGE, (byte) 2);
            assertThat(Files.size(path())).isEqualTo(PAGE + 1);
            assertThatIllegalArgumentException().isThrownBy(() -> file.truncate(0));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> file.truncate(PAGE + 2))
                    .withMessageContaining(path() + ": newLength must be from 1 to " + (PAGE + 1));
        }
    }

    @Test
    void shouldKeepTheRestReadableWhenTheFileIsShortenedAfterDetachingIt() throws Exception {
        Files.write(path(), new byte[3 * PAGE]);
        try (FileChannel other = FileChannel.open(path(), StandardOpenOption.WRITE);
                MappedFile file = MappedFile.openReadOnly(path())) {
            ByteBuffer window = file.region().window(0, 3 * PAGE);
            other.write(ByteBuffer.wrap(new byte[] {1}), PAGE);
            other.write(ByteBuffer.wrap(new byte[] {1}), 2L * PAGE);
            file.detachAfter(PAGE + 1);
            other.truncate(PAGE + 1);

            assertThat(file.length()).isEqualTo(PAGE + 1);
            assertThat(window.get(PAGE)).isEqualTo((byte) 1);
            assertThat(window.get(2 * PAGE)).isZero();
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> file.detachAfter(PAGE + 2))
                    .withMessageContaining(path() + ": keptLength must be from 0 to " + (PAGE + 1));
            file.detachAfter(0);
            other.truncate(0);
            assertThat(window.get(PAGE)).isZero();
        }
    }

    @Test
    void shouldLeaveStaleWindowsReadableWhenClosed() throws Exception {
        MappedFile file = MappedFile.create(path(), PAGE);
        ByteBuffer window = file.region().window(0, PAGE);
        window.put(0, (byte) 1);
        assertThat(isMapped(path())).isTrue();
        file.close();
        file.close();

        assertThat(isMapped(path())).isFalse();
        assertThat(window.get(0)).isZero();
        window.put(0, (byte) 2);
        assertThat(Files.readAllBytes(path())).startsWith(1);
        assertThatIllegalStateException().isThrownBy(() -> file.region().window(0, 1));
        assertThatIllegalStateException().isThrownBy(file::force).withMessageContaining(path().toString());
        assertThatIllegalStateException().isThrownBy(() -> file.truncate(1));
        assertThatIllegalStateException().isThrownBy(file::descriptor);
    }

    @Test
    void shouldStayMappedWhileAUserHoldsALease() throws Exception {
        MappedFile file = MappedFile.create(path(), PAGE);
        Region region = file.region();
        region.retain();
        file.close();
        region.window(0, 1).put(0, (byte) 5);
        assertThat(Files.readAllBytes(path())).startsWith(5);

        region.release();
        assertThat(isMapped(path())).isFalse();
    }

    @Test
    void shouldStayMappedWhileADeviceHasItRegistered() throws Exception {
        MappedFile file = MappedFile.create(path(), PAGE);
        Slab slab = file.region().slab();
        slab.beginRegistration();
        file.close();
        assertThat(isMapped(path())).isTrue();

        slab.endRegistration();
        assertThat(isMapped(path())).isFalse();
    }

    @Test
    void shouldTellUsersOfTheSlabWhenTheLastLeaseIsReleased() throws Exception {
        MappedFile file = MappedFile.create(path(), PAGE);
        Region region = file.region();
        AtomicInteger told = new AtomicInteger();
        region.slab().whenUnused(told::incrementAndGet);
        region.slab().whenUnused(told::incrementAndGet);
        region.retain();
        file.close();
        assertThat(told).hasValue(0);

        region.release();
        assertThat(told).hasValue(2);
        region.slab().whenUnused(told::incrementAndGet);
        assertThat(told).as("immediately").hasValue(3);
    }

    @Test
    void shouldTellUsersOfAPoolsSlabWhenThePoolIsClosedAndItsRegionsReleased() {
        MemoryPool pool = new MemoryPool(PAGE);
        Region region = pool.allocate(1);
        AtomicInteger told = new AtomicInteger();
        region.slab().whenUnused(told::incrementAndGet);
        region.release();
        assertThat(told).as("while the pool may allocate from the slab again").hasValue(0);
        Region second = pool.allocate(1);
        pool.close();
        assertThat(told).hasValue(0);
        second.release();
        assertThat(told).hasValue(1);
    }

    @Test
    void shouldFailForGoodWhenForcingHasFailed() throws Exception {
        try (MappedFile file = MappedFile.create(path(), PAGE)) {
            CLibrary library = CLibrary.open();
            FileCalls calls = new FileCalls(library);
            int unforceable = calls.open("/dev/null", true);
            int saved = (int) library.call(library.function("dup"), file.descriptor());
            library.call(library.function("dup2"), unforceable, file.descriptor());
            assertThatThrownBy(file::force)
                    .hasMessage(path() + ": cannot be written to its device: Invalid argument (errno 22)");

            library.call(library.function("dup2"), saved, file.descriptor());
            calls.close(saved);
            calls.close(unforceable);
            assertThatThrownBy(file::force)
                    .hasMessageStartingWith("an earlier force failed: " + path() + ": cannot be written");
        }
    }

    private static void closeDescriptor(int descriptor) {
        new FileCalls(CLibrary.open()).close(descriptor);
    }

    @Test
    void shouldOpenAWholeFileForReadingOnly() throws Exception {
        Path other = Files.write(directory.resolve("other"), new byte[PAGE]);
        try (MappedFile writable = MappedFile.create(path(), PAGE);
                MappedFile readable = MappedFile.openReadOnly(other);
                MappedFile memory = MappedFile.memory("buffers", PAGE)) {
            for (MappedFile file : new MappedFile[] {writable, readable, memory}) {
                int descriptor = file.region().openFile();
                String info = Files.readString(Path.of("/proc/self/fdinfo/" + descriptor));
                closeDescriptor(descriptor);
                assertThat(descriptor).isNotNegative();
                int flags = Integer.parseInt(info.replaceAll("(?s).*flags:\\s+(\\d+).*", "$1"), 8);
                assertThat(flags & 3).as("access mode in %s", info).isZero();
            }
        }
    }

    @Test
    void shouldBeWrittenByNoOtherProcessIfItIsInMemory() throws Exception {
        assumeTrue(!KernelVersion.isBefore(System.getProperty("os.version"), 5, 1));
        try (MappedFile file = MappedFile.memory("buffers", PAGE)) {
            int descriptor = file.region().openFile();
            Path again = Path.of("/proc/self/fd/" + descriptor);
            try (FileChannel other = FileChannel.open(again, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                assertThatThrownBy(() -> other.write(ByteBuffer.allocate(1))).isInstanceOf(IOException.class);
                assertThatThrownBy(() -> other.map(FileChannel.MapMode.READ_WRITE, 0, PAGE))
                        .isInstanceOf(IOException.class);
            } finally {
                closeDescriptor(descriptor);
            }
            file.region().window(0, 1).put(0, (byte) 4);
            assertThat(file.region().window(0, 1).get(0)).isEqualTo((byte) 4);
        }
    }

    /** Words cannot be opened read-only: another process could reopen the descriptor for writing. */
    @Test
    void shouldOpenOnlyWordsForWritingAndWordsForNothingElse() throws Exception {
        try (MappedFile words = MappedFile.words("words", PAGE);
                MappedFile memory = MappedFile.memory("buffers", PAGE);
                MappedFile file = MappedFile.create(path(), PAGE);
                MemoryPool pool = new MemoryPool(PAGE)) {
            Region pooled = pool.allocate(PAGE);
            for (Region other : new Region[] {memory.region(), file.region(), pooled}) {
                assertThat(other.openWords()).isEqualTo(Region.NO_FILE);
            }
            pooled.release();
            assertThat(words.region().openFile()).isEqualTo(Region.NO_FILE);
            int descriptor = words.region().openWords();
            Path again = Path.of("/proc/self/fd/" + descriptor);
            try (FileChannel other = FileChannel.open(again, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                other.map(FileChannel.MapMode.READ_WRITE, 0, PAGE).put(9, (byte) 4);
                assertThatThrownBy(() -> other.truncate(1)).isInstanceOf(IOException.class);
                assertThatThrownBy(() -> other.write(ByteBuffer.allocate(1), PAGE))
                        .isInstanceOf(IOException.class);
            } finally {
                closeDescriptor(descriptor);
            }
            assertThat(words.region().window(0, PAGE).get(9)).isEqualTo((byte) 4);
        }
        MappedFile closed = MappedFile.words("words", PAGE);
        closed.close();
        assertThat(closed.region().openWords()).as("closed").isEqualTo(Region.NO_FILE);
    }

    @Test
    void shouldForbidFurtherSealsOfWords() throws Exception {
        try (MappedFile words = MappedFile.words("words", PAGE)) {
            int descriptor = words.region().openWords();
            assertThat(new FileCalls(CLibrary.open()).sealWrites(descriptor))
                    .as("a seal that would prevent other processes from using the words")
                    .isFalse();
            closeDescriptor(descriptor);
        }
    }

    @Test
    void shouldFreeClosedWordsThatAnotherProcessKeeps() throws Exception {
        FileCalls files = new FileCalls(CLibrary.open());
        MappedFile words = MappedFile.words("words", 64);
        int kept = words.region().openWords();
        try (FileChannel other =
                FileChannel.open(Path.of("/proc/self/fd/" + kept), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MappedByteBuffer mapping = other.map(FileChannel.MapMode.READ_WRITE, 0, 64);
            mapping.put(8, (byte) 4);
            assertThat(words.region().window(0, 64).get(8)).isEqualTo((byte) 4);
            words.close();
            assertThat(files.nextData(kept, 0))
                    .as("start of the allocated pages")
                    .isEqualTo(Long.MAX_VALUE);
            assertThat(mapping.get(8)).isZero();
        } finally {
            closeDescriptor(kept);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {-8, 0, 1, 12})
    void shouldRefuseToMakeWordsOfAnotherLength(long length) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MappedFile.words("words", length))
                .withMessageContaining("length=" + length);
    }

    @Test
    void shouldOpenNoFileThatTheRegionIsNotTheWholeOf() throws Exception {
        MappedFile shortened = MappedFile.create(path(), 3 * PAGE);
        shortened.detachAfter(2 * PAGE);
        assertThat(shortened.region().openFile()).as("detached").isEqualTo(Region.NO_FILE);
        shortened.close();
        MappedFile file = MappedFile.open(path());
        Files.write(path(), new byte[1], StandardOpenOption.APPEND);
        assertThat(file.region().openFile()).as("longer than the region").isEqualTo(Region.NO_FILE);
        file.close();
        MappedFile closed = MappedFile.open(path());
        Region left = closed.region();
        left.retain();
        closed.close();
        assertThat(left.openFile()).as("closed").isEqualTo(Region.NO_FILE);
        left.release();
        try (MemoryPool pool = new MemoryPool(PAGE)) {
            Region region = pool.allocate(PAGE);
            assertThat(region.openFile()).as("memory of a pool").isEqualTo(Region.NO_FILE);
            region.release();
        }
    }

    @Test
    void shouldBeShortenedByNobodyIfItIsInMemory() throws Exception {
        try (MappedFile file = MappedFile.memory("buffers", PAGE)) {
            Path path = Path.of("/proc/self/fd/" + file.descriptor());
            file.region().window(0, 1).put(0, (byte) 4);
            assertThat(Files.readAllBytes(path)).hasSize(PAGE).startsWith(4);
            assertThatThrownBy(() -> file.truncate(1))
                    .hasMessage("buffers: cannot be truncated to 1 bytes: Operation not permitted (errno 1)");
            try (FileChannel other = FileChannel.open(path, StandardOpenOption.WRITE)) {
                assertThatThrownBy(() -> other.truncate(1)).isInstanceOf(IOException.class);
            }
        }
        assertThatThrownBy(() -> MappedFile.memory("x".repeat(250), PAGE))
                .hasMessageEndingWith(": cannot be created in memory: Invalid argument (errno 22)");
    }
}
