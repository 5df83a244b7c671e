package io.rocketbufs.contract;

import static io.rocketbufs.contract.Stage.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.rocketbufs.Connection;
import io.rocketbufs.Grant;
import io.rocketbufs.RemoteMemory;
import io.rocketbufs.Role;
import io.rocketbufs.memory.MappedFile;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.options.GrantCallback;
import io.rocketbufs.options.Posted;
import io.rocketbufs.options.RemoteMemoryCallback;
import io.rocketbufs.options.Revocation;
import io.rocketbufs.rocketnet.Capabilities.Operation;
import io.rocketbufs.rocketnet.Right;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests of whole files that are granted for reading. Some transports let the peer's process read these files directly.
 */
class WholeFileContract implements RemoteMemoryCallback {
    private static final int LENGTH = 1_000_003;
    private static final long PATIENCE_MS = 60_000;

    private final Stage stage;
    private final boolean shares;
    private final MemoryPool pool = new MemoryPool(4 << 20);
    private final Region local = pool.allocate(LENGTH);
    private final ByteBuffer window = local.window(0, LENGTH);
    private final AtomicLong completed = new AtomicLong();
    private long posted;
    private Connection owner;
    private Connection user;

    @TempDir
    private Path directory;

    /** @param shares true if the transport shares files with processes on this machine */
    WholeFileContract(Stage stage, boolean shares) {
        this.stage = stage;
        this.shares = shares;
    }

    /** The kinds of files. */
    enum Kind {
        MEMORY,
        WRITABLE,
        READ_ONLY
    }

    @BeforeEach
    void connect() {
        Node owning = stage.node();
        user = stage.node().connect(owning, Role.PEER, connection -> {});
        eventually(() -> !owning.accepted().isEmpty());
        owner = owning.lastAccepted();
    }

    @AfterEach
    void release() {
        local.release();
        eventually(() -> pool.allocatedLength() == 0);
        pool.close();
    }

    @Override
    public void onCompleted(long context, long value) {
        completed.set(context);
    }

    private MappedFile file(Kind kind, byte[] content) throws Exception {
        Path path = directory.resolve("file");
        if (kind == Kind.READ_ONLY) {
            return MappedFile.openReadOnly(Files.write(path, content));
        }
        MappedFile file = kind == Kind.MEMORY
                ? MappedFile.memory("whole", content.length)
                : MappedFile.create(path, content.length);
        file.region().window(0, content.length).put(0, content);
        return file;
    }

    private static byte[] content(long seed) {
        byte[] content = new byte[LENGTH];
        new Random(seed).nextBytes(content);
        return content;
    }

    private Grant grant(MappedFile file) {
        return owner.grant(file.region(), 0, file.region().length(), Set.of(Right.READ), GrantCallback.NONE);
    }

    private RemoteMemory open(Grant grant) {
        RemoteMemory remote = user.remoteMemory(grant.description(), this);
        if (shares) {
            eventually(() -> remote.isNative(Operation.READ), () -> "the file to arrive");
        }
        return remote;
    }

    /** Posts a read, and waits for the bytes. */
    private byte[] read(RemoteMemory remote, long offset, int length) {
        posted++;
        assertThat(remote.read(offset, length, local, 0, posted)).isEqualTo(Posted.POSTED);
        eventually(() -> completed.get() == posted);
        return bytes(length);
    }

    private byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        window.get(0, bytes);
        return bytes;
    }

    @ParameterizedTest
    @EnumSource
    void shouldReadAnyPart(Kind kind) throws Exception {
        byte[] content = content(1);
        try (MappedFile file = file(kind, content)) {
            Grant grant = grant(file);
            RemoteMemory remote = open(grant);
            Random random = new Random(2);
            for (int length : new int[] {1, 7, 8, 4096, 65_537, LENGTH - 1, LENGTH}) {
                int offset = random.nextInt(LENGTH - length + 1);
                byte[] expected = Arrays.copyOfRange(content, offset, offset + length);
                assertThat(read(remote, offset, length)).isEqualTo(expected);
                window.put(0, new byte[length]);
                boolean isRead = remote.readDirectly(offset, length, local, 0);
                assertThat(isRead).isEqualTo(shares);
                assertThat(bytes(length)).isEqualTo(isRead ? expected : new byte[length]);
            }
            assertThat(Stage.get(grant.revoke(PATIENCE_MS))).isEqualTo(Revocation.CONFIRMED);
        }
    }

    @Test
    void shouldReadWhatTheOwnerHasStoredMeanwhile() throws Exception {
        try (MappedFile file = file(Kind.MEMORY, new byte[LENGTH])) {
            Grant grant = grant(file);
            RemoteMemory remote = open(grant);
            ByteBuffer words = file.region().window(0, 16);
            for (long i = 1; i <= 1000; i++) {
                words.putLong(8, i);
                if (!remote.readDirectly(8, 8, local, 16)) {
                    read(remote, 8, 8);
                    window.putLong(16, window.getLong(0));
                }
                assertThat(window.getLong(16)).isEqualTo(i);
            }
            Stage.get(grant.revoke(PATIENCE_MS));
        }
    }

    @Test
    void shouldReadZerosWhereTheFileHasBeenShortened() throws Exception {
        assumeFalse(stage.capabilities().offers(Operation.READ), "a device keeps the pages that it has registered");
        byte[] content = content(3);
        int kept = 8192;
        try (MappedFile file = file(Kind.READ_ONLY, content)) {
            Grant grant = grant(file);
            RemoteMemory remote = open(grant);
            file.detachAfter(kept);
            try (FileChannel other = FileChannel.open(directory.resolve("file"), StandardOpenOption.WRITE)) {
                other.truncate(kept);
            }
            assertThat(read(remote, 0, LENGTH)).isEqualTo(Arrays.copyOf(Arrays.copyOf(content, kept), LENGTH));
            assertThat(read(remote, kept + 1, 10)).isEqualTo(new byte[10]);
            Stage.get(grant.revoke(PATIENCE_MS));
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldStopReadingWhenTheGrantIsRevoked(Kind kind) throws Exception {
        byte[] content = content(4);
        try (MappedFile file = file(kind, content)) {
            for (int round = 0; round < 20; round++) {
                Grant grant = grant(file);
                RemoteMemory remote = open(grant);
                AtomicLong count = new AtomicLong();
                CompletableFuture<Void> reading = CompletableFuture.runAsync(() -> readUntilRevoked(remote, count));
                eventually(() -> count.get() > 10);
                assertThat(Stage.get(grant.revoke(PATIENCE_MS))).isEqualTo(Revocation.CONFIRMED);
                Stage.get(reading);
                assertThat(remote.readDirectly(0, 1, local, 0)).isFalse();
                assertThat(remote.read(0, 1, local, 0, 0)).isEqualTo(Posted.CLOSED);
            }
        }
    }

    private void readUntilRevoked(RemoteMemory remote, AtomicLong count) {
        Posted last = Posted.POSTED;
        while (last != Posted.CLOSED) {
            if (!remote.readDirectly(0, 10_000, local, 0)) {
                last = remote.read(0, 10_000, local, 0, 0);
            }
            count.incrementAndGet();
        }
    }

    @Test
    void shouldKeepFilesOfSeveralGrantsApart() throws Exception {
        byte[] first = content(5);
        byte[] second = content(6);
        try (MappedFile one = file(Kind.WRITABLE, first);
                MappedFile two = file(Kind.MEMORY, second)) {
            Grant ofOne = grant(one);
            Grant ofTwo = grant(two);
            RemoteMemory remoteTwo = open(ofTwo);
            RemoteMemory remoteOne = open(ofOne);
            assertThat(read(remoteOne, 0, LENGTH)).isEqualTo(first);
            assertThat(read(remoteTwo, 0, LENGTH)).isEqualTo(second);
            Stage.get(ofOne.revoke(PATIENCE_MS));
            assertThat(read(remoteTwo, 0, LENGTH)).isEqualTo(second);
            Stage.get(ofTwo.revoke(PATIENCE_MS));
        }
    }

    @Test
    void shouldShowNothingBesideAGrantedPart() throws Exception {
        byte[] content = content(7);
        try (MappedFile file = file(Kind.MEMORY, content)) {
            Grant part = owner.grant(file.region(), 4096, 8192, Set.of(Right.READ), GrantCallback.NONE);
            Grant writable = owner.grant(file.region(), 0, LENGTH, EnumSet.allOf(Right.class), GrantCallback.NONE);
            Grant whole = grant(file);
            RemoteMemory remote = user.remoteMemory(part.description(), this);
            RemoteMemory other = user.remoteMemory(writable.description(), this);
            open(whole);
            assertThat(remote.readDirectly(0, 1, local, 0)).isFalse();
            assertThat(other.readDirectly(0, 1, local, 0)).isFalse();
            assertThat(read(remote, 0, 8192)).isEqualTo(Arrays.copyOfRange(content, 4096, 3 * 4096));
            for (Grant grant : new Grant[] {part, writable, whole}) {
                Stage.get(grant.revoke(PATIENCE_MS));
            }
        }
    }

    @Test
    void shouldKeepNoFileAfterTheEndOfTheConnection() throws Exception {
        Path path = directory.resolve("file");
        try (MappedFile file = file(Kind.READ_ONLY, content(8))) {
            for (int i = 0; i < 20; i++) {
                open(grant(file));
            }
            stage.expectFailures();
            owner.close();
            Stage.get(user.closed());
            Stage.get(owner.closed());
        }
        eventually(() -> openCount(path) == 0, () -> openCount(path) + " descriptors of the file are open");
    }

    private static long openCount(Path path) {
        try (var descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return descriptors.filter(each -> isLinkTo(each, path)).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isLinkTo(Path link, Path path) {
        try {
            return Files.readSymbolicLink(link).equals(path);
        } catch (IOException e) {
            return false; // the descriptor has been closed in the meantime
        }
    }
}
