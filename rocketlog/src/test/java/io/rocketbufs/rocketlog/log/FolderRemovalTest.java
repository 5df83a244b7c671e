package io.rocketbufs.rocketlog.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of removing a topic with two logs. A crash occurs at each change of the disk, including while the removal is
 * finished after an earlier crash.
 */
@Timeout(600)
final class FolderRemovalTest {
    private static final LogOptions OPTIONS = LogOptions.DEFAULTS.withSegments(1000, 0, 400);
    private static final String TOPIC = "orders";
    private static final int RECORDS = 60;

    private Random random;
    private int states;
    private int removedCount;

    /** The folder with the topic's file, the folders of its logs, and their parent. */
    private record Disks(SimulatedDisk topics, List<SimulatedDisk> logs, SimulatedDisk parent) {
        static Disks of(SimulatedDisk topics, List<SimulatedDisk> logs) {
            return new Disks(topics, logs, new SimulatedDisk().withFolders(logs));
        }

        void beforeChange(Runnable action) {
            topics.beforeChange(action);
            logs.forEach(each -> each.beforeChange(action));
            parent.beforeChange(action);
        }

        Disks afterKill() {
            return of(
                    topics.afterKill(),
                    logs.stream().map(SimulatedDisk::afterKill).toList());
        }

        Disks afterCrash(Random random) {
            return of(
                    topics.afterCrash(random),
                    logs.stream().map(each -> each.afterCrash(random)).toList());
        }

        void finish() {
            logs.forEach(FolderRemoval::remove);
            FolderRemoval.end(parent, topics, TOPIC);
        }
    }

    private static Disks create() throws IOException {
        Disks disks = Disks.of(new SimulatedDisk(), List.of(new SimulatedDisk(), new SimulatedDisk()));
        SmallFile.write(disks.topics(), TOPIC, ByteBuffer.wrap("content".getBytes(StandardCharsets.US_ASCII)));
        for (SimulatedDisk each : disks.logs()) {
            PartitionLog log = TestLogs.open("orders-0", each, OPTIONS, () -> {});
            Maintenance maintenance = new Maintenance(log);
            for (int i = 0; i < RECORDS; i++) {
                assertThat(log.append(Batches.of(i, 1, "value", 7, 0, i))).isEqualTo(i);
            }
            maintenance.flush();
            log.delete();
            maintenance.close();
        }
        return disks;
    }

    private static void remove(Disks disks) {
        FolderRemoval.begin(disks.topics(), TOPIC);
        disks.finish();
    }

    @Test
    void shouldLeaveTheTopicWithAllItsRecordsOrNothingAfterACrash() throws IOException {
        checkCrashes(40);
    }

    @Test
    @Tag("slow")
    void shouldLeaveTheTopicWithAllItsRecordsOrNothingAfterManyCrashes() throws IOException {
        checkCrashes(5000);
    }

    private void checkCrashes(int runs) throws IOException {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        random = new Random(seed);
        for (int i = 0; i < runs; i++) {
            Disks disks = create();
            disks.beforeChange(() -> crash(disks, 1));
            remove(disks);
            crash(disks, 1);
            assertThat(disks.topics().names()).isEmpty();
        }
        System.out.println(states + " crash states, of which " + removedCount + " without the topic");
        assertThat(removedCount).isBetween(1, states - 1);
    }

    private void crash(Disks disks, int number) {
        recover(disks.afterKill(), number);
        for (int i = 0; i < 3; i++) {
            recover(disks.afterCrash(random), number);
        }
    }

    private void recover(Disks crashed, int number) {
        states++;
        if (number < 3 && random.nextInt(20) == 0) {
            crashed.beforeChange(() -> crash(crashed, number + 1));
        }
        try {
            for (String each : FolderRemoval.unfinished(crashed.topics())) {
                assertThat(each).isEqualTo(TOPIC);
                crashed.finish();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        crashed.beforeChange(() -> {});
        if (crashed.topics().names().contains(TOPIC)) {
            for (SimulatedDisk each : crashed.logs()) {
                assertThat(TestLogs.open("orders-0", each, OPTIONS, () -> {}).nextOffset())
                        .isEqualTo(RECORDS);
            }
        } else {
            removedCount++;
            assertThat(crashed.logs()).allMatch(each -> each.names().isEmpty());
        }
        assertThat(crashed.topics().names()).isSubsetOf(TOPIC);
    }

    @Test
    void shouldKeepTheTopicEvenAfterACrashIfItsFileCannotBeMarked() throws IOException {
        Disks disks = create();
        disks.topics().failForces(1);
        assertThatExceptionOfType(LogException.class)
                .isThrownBy(() -> remove(disks))
                .withMessageContaining("cannot rename simulated/" + TOPIC)
                .withMessageNotContaining("may still remove it");
        assertThat(disks.topics().names()).containsExactly(TOPIC);
        for (int i = 0; i < 100; i++) {
            SimulatedDisk crashed = disks.topics().afterCrash(new Random(i));
            assertThat(FolderRemoval.unfinished(crashed)).isEmpty();
            assertThat(crashed.names()).containsExactly(TOPIC);
        }
    }

    @Test
    void shouldSayThatTheTopicMayStillBeRemovedIfTheDiskDoesNotStoreThatItIsKept() throws IOException {
        Disks disks = create();
        disks.topics().failForces(2);
        assertThatExceptionOfType(LogException.class)
                .isThrownBy(() -> remove(disks))
                .withMessageContaining("a crash or a restart may still remove it");
        assertThat(disks.topics().names()).containsExactly(TOPIC);
    }

    @Test
    void shouldFinishADeletionThatFailedAtFirst() throws IOException {
        Disks disks = create();
        disks.logs().get(1).failDeletes(true);
        assertThatExceptionOfType(LogException.class)
                .isThrownBy(() -> remove(disks))
                .withMessageContaining("cannot delete simulated/");
        assertThat(FolderRemoval.unfinished(disks.topics())).containsExactly(TOPIC);
        disks.logs().get(1).failDeletes(false);
        disks.finish();
        assertThat(disks.topics().names()).isEmpty();
        assertThat(disks.logs().get(1).names()).isEmpty();
    }

    @Test
    void shouldRemoveFoldersWithAllFilesAndNothingElse(@TempDir Path directory) throws IOException {
        Path topics = Files.createDirectory(directory.resolve("topics"));
        Files.writeString(topics.resolve(TOPIC), "content");
        Files.writeString(topics.resolve("orders2"), "content");
        List<Path> removed = new ArrayList<>();
        for (String name : new String[] {"orders-0", "orders-1", "orders2-0"}) {
            Path folder = Files.createDirectory(directory.resolve(name));
            Files.writeString(folder.resolve("00000000000000000000.log"), "batches");
            removed.add(folder);
        }
        Path other = removed.remove(2);
        FolderRemoval.begin(topics, TOPIC);
        assertThat(FolderRemoval.unfinished(topics)).containsExactly(TOPIC);
        removed.forEach(FolderRemoval::remove);
        FolderRemoval.end(directory, topics, TOPIC);
        assertThat(removed).noneMatch(Files::exists);
        assertThat(other.resolve("00000000000000000000.log")).exists();
        assertThat(topics).isDirectoryContaining(file -> file.endsWith("orders2"));
        assertThat(FolderRemoval.unfinished(topics)).isEmpty();
    }
}
