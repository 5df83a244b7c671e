package io.rocketbufs.rocketlog.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.rocketbufs.rocketlog.record.RecordBatchLayout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of logs whose process is killed, competes for a directory, or fills the disk. */
@Tag("once")
@Timeout(600)
final class LogProcessTest {
    @TempDir
    Path folder;

    @Test
    void shouldKeepEveryAppendedRecordWhenTheProcessIsKilled() throws Exception {
        killRepeatedly(4);
    }

    @Test
    @Tag("slow")
    @Timeout(1800)
    void shouldKeepEveryAppendedRecordWhenTheProcessIsKilledManyTimes() throws Exception {
        killRepeatedly(200);
    }

    private void killRepeatedly(int rounds) throws Exception {
        Random random = new Random(rounds);
        long acknowledged = 0;
        for (int round = 0; round < rounds; round++) {
            try (LogChild child = LogChild.start("append", folder.toString())) {
                assertThat(child.line("opened")).isNotNull();
                for (int i = random.nextInt(3000); i >= 0; i--) {
                    assertThat(child.line("appended")).isNotNull();
                }
                String last = child.kill("appended");
                if (last != null && last.length() > "appended ".length()) {
                    // The last line may have been cut off, and then contains a smaller offset.
                    acknowledged = Math.max(acknowledged, Long.parseLong(last.substring("appended ".length())) + 1);
                }
            }
        }
        try (LogDirectory directory = LogDirectory.open(folder, LogDirectoryTest.OPTIONS, (log, offset) -> {})) {
            PartitionLog log = directory.partition("orders-0");
            assertThat(log.nextOffset()).isGreaterThanOrEqualTo(acknowledged).isPositive();
            List<ByteBuffer> batches = Batches.read(log);
            assertThat(batches).hasSize((int) log.nextOffset());
            for (int i = 0; i < batches.size(); i++) {
                ByteBuffer expected = LogChild.batch(i);
                RecordBatchLayout.assign(expected, 0, i, 0);
                assertThat(batches.get(i)).isEqualTo(expected);
            }
        }
    }

    @Test
    void shouldStayLockedForOtherProcessesAfterThisOneRefusedASecondUser() throws Exception {
        try (LogDirectory directory = LogDirectory.open(folder, LogDirectoryTest.OPTIONS, (log, offset) -> {})) {
            assertThatExceptionOfType(LogException.class)
                    .isThrownBy(() -> LogDirectory.open(folder, LogDirectoryTest.OPTIONS, (log, offset) -> {}))
                    .satisfies(e -> assertThat(e.code()).isEqualTo(LogException.Code.LOCKED));
            try (LogChild child = LogChild.start("open", folder.toString())) {
                assertThat(child.line("refused"))
                        .contains(folder + " is in use by process "
                                + ProcessHandle.current().pid());
            }
            directory.partition("orders-0");
        }
        try (LogChild child = LogChild.start("open", folder.toString())) {
            assertThat(child.line("opened")).isEqualTo("opened 0");
        }
    }

    @Test
    void shouldKeepEverythingWhenTheDiskIsFull() throws Exception {
        assumeThat(canMount()).as("this user may mount in a namespace").isTrue();
        List<String> command = new ArrayList<>(List.of(
                "unshare",
                "-m",
                "sh",
                "-c",
                "mount -t tmpfs -o size=300k tmpfs \"$0\" && \"$@\" && \"$@\"",
                folder.toString()));
        command.addAll(LogChild.command("fill", folder.toString()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        List<String> lines = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList();
        assertThat(process.waitFor()).as("%s", lines).isZero();
        List<String> full =
                lines.stream().filter(line -> line.startsWith("full")).toList();
        assertThat(full).as("%s", lines).hasSize(2);
        long kept = Long.parseLong(full.get(0).split(" ")[2]);
        assertThat(kept).isGreaterThan(100);
        assertThat(full.get(0)).isEqualTo("full " + PartitionLog.STORAGE_FULL + " " + kept + " null");
        assertThat(lines).contains("read " + kept).anyMatch(line -> line.startsWith("opened " + kept));
    }

    private static boolean canMount() throws Exception {
        try {
            return new ProcessBuilder("unshare", "-m", "true").start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }
}
