package io.rocketbufs.rocketnet.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.rocketnet.LentWord;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportException.Code;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ShmWordsTest {
    private static final int LENGTH = ShmLayout.SHORTEST_CHANNEL;

    private ShmMemory owners;
    private ShmMemory peers;
    private ShmWords words;
    private Object inode;
    private boolean isUnmapped;

    @BeforeEach
    void map() throws IOException {
        int descriptor = ShmMemory.create(LENGTH);
        owners = ShmMemory.map(descriptor, LENGTH);
        peers = ShmMemory.map(descriptor, LENGTH);
        inode = Files.getAttribute(Path.of("/proc/self/fd/" + descriptor), "unix:ino");
        ShmSocket.closeDescriptor(descriptor);
        words = new ShmWords(owners);
    }

    @AfterEach
    void unmap() {
        end();
        peers.unmap();
    }

    /** Ends the words and the memory in the same way as a connection. */
    private void end() {
        if (!isUnmapped) {
            isUnmapped = true;
            words.close();
            owners.unmap();
        }
    }

    private void store(LentWord word, long value) {
        peers.storeWord(ShmWords.place(word.access()), value);
    }

    @Test
    void shouldShowWhatThePeerHasWrittenToEachWord() {
        List<LentWord> lent =
                IntStream.range(0, ShmWords.COUNT).mapToObj(i -> words.lend()).toList();
        assertThat(lent).allSatisfy(word -> assertThat(word.value()).isZero());
        lent.forEach(word -> store(word, -1 - word.access().address()));
        assertThat(lent)
                .allSatisfy(word ->
                        assertThat(word.value()).isEqualTo(-1 - word.access().address()));
        assertThat(lent).extracting(LentWord::access).doesNotHaveDuplicates().doesNotContain(RemoteAccess.NONE);
    }

    @Test
    void shouldLendAllWordsAndReuseThoseThatWereTakenBack() {
        List<LentWord> lent = new ArrayList<>();
        IntStream.range(0, ShmWords.COUNT).forEach(i -> lent.add(words.lend()));
        assertThat(words.lend()).isNull();
        LentWord old = lent.get(7);
        store(old, 4711);
        old.takeBack();
        LentWord again = words.lend();
        assertThat(again.access()).isEqualTo(old.access());
        assertThat(again.value()).isZero();
        store(again, 5);
        assertThat(old.value()).isEqualTo(4711);
        assertThat(words.lend()).isNull();
    }

    @Test
    void shouldKeepTheLastValueWhenTheConnectionHasEnded() {
        LentWord word = words.lend();
        LentWord takenBack = words.lend();
        store(word, 11);
        store(takenBack, 12);
        takenBack.takeBack();
        end();
        store(word, 13);
        assertThat(word.value()).isEqualTo(11);
        assertThat(takenBack.value()).isEqualTo(12);
        word.takeBack();
        assertThat(word.value()).isEqualTo(11);
        assertThatThrownBy(words::lend)
                .isInstanceOfSatisfying(
                        TransportException.class, e -> assertThat(e.code()).isEqualTo(Code.CLOSED));
    }

    @Test
    void shouldNeverShowAnotherValueToAThreadThatReadsWhileTheConnectionEnds() throws Exception {
        LentWord word = words.lend();
        store(word, 4711);
        AtomicBoolean hasBegun = new AtomicBoolean();
        AtomicBoolean mayEnd = new AtomicBoolean();
        CompletableFuture<Boolean> reader = CompletableFuture.supplyAsync(() -> {
            boolean same = true;
            while (!mayEnd.get()) {
                same &= word.value() == 4711;
                hasBegun.set(true);
            }
            return same;
        });
        await().untilTrue(hasBegun);
        end();
        assertThat(word.value()).isEqualTo(4711);
        mayEnd.set(true);
        assertThat(reader.get(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void shouldNotKeepTheSharedMemoryWhenTheConnectionHasEnded() throws IOException {
        LentWord word = words.lend();
        assertThat(mappings()).isEqualTo(3);
        end();
        assertThat(mappings()).isEqualTo(1);
        assertThat(word.value()).isZero();
    }

    /** Returns the number of mappings of the shared memory in this process. */
    private long mappings() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.contains(" " + inode + " ")).count();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "-64, 1",
        "1, 1",
        "8, 1",
        "16384, 1",
        "9223372036854775807, 1",
        "-9223372036854775808, 1",
        "64, 0",
        "64, 2"
    })
    void shouldRefuseToWriteAWordThatDoesNotExist(long address, long key) {
        assertThatThrownBy(() -> ShmWords.place(new RemoteAccess(address, key)))
                .isInstanceOf(ShmViolation.class)
                .hasMessageContaining("word that does not exist: offset=" + address + ", key=" + key);
    }
}
